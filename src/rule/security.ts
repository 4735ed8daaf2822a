import { unknownName } from '../error/unknown-name.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Declaration, RequiredScheme, SecurityAlternative } from './declaration.ts'

/** Schemes that a request needs together, by name. */
export type RequiredSchemes = Readonly<Record<string, RequiredScheme>>

/** What a declaration asks for: one of these sets of schemes. Empty if it asks for nothing. */
export function requiredAlternatives({ security }: Declaration): readonly RequiredSchemes[] {
  // Registration has replaced scopes by the schemes that they are of.
  return alternativesOf(security) as readonly RequiredSchemes[]
}

/** The schemes that declarations describe, by name. The first description counts. */
export function describedSchemes(declarations: readonly Declaration[]): RequiredSchemes {
  const schemes: Record<string, RequiredScheme> = {}
  for (const { security } of declarations)
    for (const alternative of alternativesOf(security))
      for (const [name, scheme] of Object.entries(alternative ?? {}))
        if (isScheme(scheme)) schemes[name] ??= scheme
  return schemes
}

/**
 * The declaration with a scheme in place of each list of scopes.
 * @throws RegistrationError for a scheme that no declaration describes, and for no alternative
 */
export function withSchemes(declaration: Declaration, schemes: RequiredSchemes): Declaration {
  const { security } = declaration
  if (security === undefined) return declaration
  const alternatives = alternativesOf(security)
  if (alternatives.length === 0)
    throw new RegistrationError(
      "The option 'security' of a declaration has no alternative. Use [{ token: [] }, {}] for optional authentication, or omit it.",
    )
  return {
    ...declaration,
    security: alternatives.map((alternative) => {
      if (typeof alternative !== 'object' || alternative === null)
        throw new RegistrationError(
          "Each alternative of the option 'security' must be an object of schemes by name, such as { token: [] }.",
        )
      return Object.fromEntries(
        Object.entries(alternative).map(([name, scheme]) => [
          name,
          isScheme(scheme) ? scheme : schemeWithScopes(name, scheme, schemes),
        ]),
      )
    }),
  }
}

function schemeWithScopes(name: string, scopes: unknown, schemes: RequiredSchemes): RequiredScheme {
  if (!Array.isArray(scopes) || scopes.some((scope) => typeof scope !== 'string'))
    throw new RegistrationError(
      `The security scheme '${name}' must be a scheme, such as { type: 'http', scheme: 'bearer' }, or an array of scopes.`,
    )
  if (!Object.hasOwn(schemes, name))
    throw new RegistrationError(
      unknownName(
        `No middleware describes the security scheme '${name}'`,
        name,
        Object.keys(schemes),
      ),
    )
  return { ...schemes[name]!, scopes }
}

function alternativesOf(security: Declaration['security']): readonly SecurityAlternative[] {
  if (security === undefined) return []
  return isList(security) ? security : [security]
}

function isList(
  security: NonNullable<Declaration['security']>,
): security is readonly SecurityAlternative[] {
  return Array.isArray(security)
}

function isScheme(value: unknown): value is RequiredScheme {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && 'type' in value
}
