import type { Rule } from '../rule/rule.ts'
import { type RequiredSchemes, requiredAlternatives } from '../rule/security.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { SecurityRequirement } from './document.ts'

/**
 * The security schemes that the middleware of an operation declares: one of these sets is enough.
 * None is optional where access rules refuse anonymous callers. An empty list if none is needed.
 */
export function securityOf(
  { declarations, refusesAnonymous }: Rule,
  components: ComponentRegistry,
): readonly SecurityRequirement[] {
  // Schemes that only some requests need are not documented as required.
  const unconditional = declarations.filter(({ isConditional }) => !isConditional)
  const isDecided = unconditional.some(({ isDefault, security }) => security && !isDefault)
  let sets: readonly SecurityRequirement[] = [{}]
  for (const declaration of unconditional) {
    if (isDecided && declaration.isDefault) continue
    const alternatives = requiredAlternatives(declaration)
    if (alternatives.length === 0) continue
    for (const alternative of alternatives)
      for (const [name, { scopes: _, ...scheme }] of Object.entries(alternative))
        components.securityScheme(name, scheme)
    sets = distinct(sets.flatMap((set) => alternatives.map((other) => withSchemes(set, other))))
  }
  if (sets.every(isEmpty)) return []
  // Access rules need what the authenticators take as optional.
  return refusesAnonymous ? sets.filter((set) => !isEmpty(set)) : sets
}

function isEmpty(set: SecurityRequirement): boolean {
  return Object.keys(set).length === 0
}

/** The names are sorted, so that the document does not depend on the order of middleware. */
function withSchemes(set: SecurityRequirement, schemes: RequiredSchemes): SecurityRequirement {
  const scopesByName = new Map(Object.entries(set))
  for (const [name, { scopes = [] }] of Object.entries(schemes))
    scopesByName.set(name, [...new Set([...(scopesByName.get(name) ?? []), ...scopes])])
  return Object.fromEntries([...scopesByName].sort(([one], [other]) => (one < other ? -1 : 1)))
}

function distinct(sets: readonly SecurityRequirement[]): readonly SecurityRequirement[] {
  return [...new Map(sets.map((set) => [JSON.stringify(set), set])).values()]
}
