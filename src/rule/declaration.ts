import type { ErrorCode } from '../error/catalog.ts'
import type { OptionChecks } from '../model/check-options.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Schema } from '../schema/standard-schema.ts'

/** How callers authenticate (OpenAPI 3.1, Security Scheme Object). */
export type SecurityScheme =
  | {
      readonly type: 'http'
      readonly scheme: string
      readonly bearerFormat?: string
      readonly description?: string
    }
  | {
      readonly type: 'apiKey'
      readonly in: 'header' | 'query' | 'cookie'
      readonly name: string
      readonly description?: string
    }
  | {
      readonly type: 'oauth2'
      readonly flows: Readonly<Record<string, unknown>>
      readonly description?: string
    }
  | {
      readonly type: 'openIdConnect'
      readonly openIdConnectUrl: string
      readonly description?: string
    }
  | { readonly type: 'mutualTLS'; readonly description?: string }

/** A security scheme with the scopes that a request needs. */
export type RequiredScheme = SecurityScheme & { readonly scopes?: readonly string[] }

/**
 * Schemes that a request needs together, by their names in the document. An array has the scopes of
 * a scheme that some middleware of the router describes. `{}` needs none.
 */
export type SecurityAlternative = Readonly<Record<string, RequiredScheme | readonly string[]>>

/** A response of a hook. */
export interface DeclaredResponse {
  readonly description?: string
  /** The schemas of its body, by media type; without one, the body is empty. */
  readonly content?: Readonly<Record<string, Schema>>
  /** The descriptions of its headers. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What a hook does, for the OpenAPI document.
 *
 * ```ts
 * const declares: Declaration = {
 *   security: { token: { type: 'http', scheme: 'bearer' } },
 *   errors: ['unauthorized'],
 * }
 * ```
 */
export interface Declaration {
  /**
   * The schemes that a request needs (all of them), by their names in the document. In an array,
   * one of its members is enough: `[{ token: [] }, {}]` says that authentication is optional.
   */
  readonly security?: SecurityAlternative | readonly SecurityAlternative[]
  /** The codes of its errors (`refuse('unauthorized', …)`). */
  readonly errors?: readonly ErrorCode[]
  /** Its responses, by status. */
  readonly responses?: Readonly<Record<number, DeclaredResponse>>
  /**
   * Are its operations deprecated? Headers may say since when and until when (RFC 9745, RFC 8594).
   */
  readonly deprecated?: boolean
  /** The descriptions of the headers that it adds to all responses. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The descriptions of the query parameters that its hooks read from `request.query`, by name.
   * They are known at the addresses of the models whose hooks these are, and links to other pages
   * keep them; links of items and files are the same for everyone. A credential is no such
   * parameter: declare it in `security`, so that no link has it.
   */
  readonly parameters?: Readonly<Record<string, string>>
}

/** A declaration for all requests of a rule, or only for those that reach another model. */
export interface RuleDeclaration extends Declaration {
  readonly isConditional?: boolean
  /** Its security counts where no other declaration of the rule requires any. */
  readonly isDefault?: boolean
  /** Request headers that its operations read. */
  readonly requestHeaders?: readonly {
    readonly name: string
    readonly description: string
    readonly schema: JsonSchema
    readonly isRequired: boolean
    /** The name of its component in the document. */
    readonly componentName: string
  }[]
  /** Headers that only some of the successful responses have, in the usual capitalization. */
  readonly successHeaders?: Readonly<
    Record<string, { readonly description: string; readonly schema: JsonSchema }>
  >
  /** Parameters of challenges for bearer tokens. */
  readonly bearerParameters?: () => Readonly<Record<string, string>>
}

export type DeclaredRequestHeader = NonNullable<RuleDeclaration['requestHeaders']>[number]

export const declarationOptions: OptionChecks<Declaration> = {
  security: true,
  errors: true,
  responses: true,
  deprecated: 'boolean',
  headers: true,
  parameters: true,
}
