import type { Rule } from '../rule/rule.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { SecurityRequirement } from './document.ts'

/** The security schemes that the middleware of an operation declares; an empty list if none. */
export function securityOf(
  { declarations }: Rule,
  components: ComponentRegistry,
): readonly SecurityRequirement[] {
  // Schemes that only some requests need are not documented as required.
  const required = declarations.flatMap(({ security, isConditional }) =>
    isConditional ? [] : Object.entries(security ?? {}),
  )
  const scopesOf = new Map<string, readonly string[]>()
  for (const [name, { scopes = [], ...scheme }] of required) {
    components.securityScheme(name, scheme)
    scopesOf.set(name, [...new Set([...(scopesOf.get(name) ?? []), ...scopes])])
  }
  return scopesOf.size === 0
    ? []
    : [Object.fromEntries([...scopesOf].sort(([one], [other]) => (one < other ? -1 : 1)))]
}
