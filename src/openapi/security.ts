import type { Rule } from '../rule/rule.ts'
import type { ComponentRegistry } from './component-registry.ts'
import type { SecurityRequirement } from './document.ts'

/**
 * What the middleware around an operation asks of callers: all of it together. Nothing is said
 * outright, as an empty list.
 */
export function securityOf(
  { declarations }: Rule,
  shelf: ComponentRegistry,
): readonly SecurityRequirement[] {
  // A request that needs no such proof must not be told to bring one.
  const wanted = declarations.flatMap(({ security, isConditional }) =>
    isConditional ? [] : Object.entries(security ?? {}),
  )
  const scopesOf = new Map<string, readonly string[]>()
  for (const [name, { scopes = [], ...scheme }] of wanted) {
    shelf.securityScheme(name, scheme)
    scopesOf.set(name, [...new Set([...(scopesOf.get(name) ?? []), ...scopes])])
  }
  return scopesOf.size === 0
    ? []
    : [Object.fromEntries([...scopesOf].sort(([one], [other]) => (one < other ? -1 : 1)))]
}
