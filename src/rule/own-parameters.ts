import { RegistrationError } from '../model/registration-error.ts'
import type { RuleDeclaration } from './declaration.ts'
import { acceptParameter, type QueryParameter } from './query-parameter.ts'
import { requiredAlternatives } from './security.ts'

/**
 * The query parameters that declarations add to those of a rule: those that carry credentials, and
 * those that hooks read.
 * @throws RegistrationError for a parameter that the rule has already
 */
export function withOwnParameters(
  parameters: readonly QueryParameter[],
  declarations: readonly RuleDeclaration[],
): readonly QueryParameter[] {
  const own = new Map<string, QueryParameter>()
  for (const declaration of declarations) {
    for (const [name, description] of Object.entries(declaration.parameters ?? {}))
      own.set(name, declaredParameter(name, description))
    for (const schemes of requiredAlternatives(declaration))
      for (const scheme of Object.values(schemes))
        if (scheme.type === 'apiKey' && scheme.in === 'query')
          own.set(scheme.name, credentialParameter(scheme.name))
  }
  if (own.size === 0) return parameters
  const taken = parameters.flatMap(({ baseNames }) => baseNames).find((name) => own.has(name))
  if (taken !== undefined)
    throw new RegistrationError(
      `The query parameter '${taken}' of middleware or of an authenticator has another meaning already. Give it another name.`,
    )
  return Object.freeze([...parameters, ...own.values()])
}

/** A query string without the parameters that carry credentials. */
export function withoutCredentials(
  { parameters }: { readonly parameters: readonly QueryParameter[] },
  query: string,
): string {
  if (query === '') return query
  const names = new Set(
    parameters.flatMap(({ isCredential, baseNames }) => (isCredential ? baseNames : [])),
  )
  if (names.size === 0) return query
  const isCredential = (segment: string) =>
    [...new URLSearchParams(segment).keys()].some((name) => names.has(name))
  return query
    .split('&')
    .filter((segment) => !isCredential(segment))
    .join('&')
}

function declaredParameter(name: string, description: string): QueryParameter {
  return {
    baseNames: [name],
    describe: () => [
      { name, description, schema: { type: 'string' }, style: 'plain', componentName: undefined },
    ],
    errors: [],
    read: () => acceptParameter({}),
  }
}

/** The document has it as a security scheme, and not as a parameter. */
function credentialParameter(name: string): QueryParameter {
  return {
    baseNames: [name],
    isCredential: true,
    describe: () => [],
    errors: [],
    read: () => acceptParameter({}),
  }
}
