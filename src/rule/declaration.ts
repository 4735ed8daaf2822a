import type { ErrorCode } from '../error/catalog.ts'
import type { OptionChecks } from '../model/check-options.ts'
import type { Schema } from '../schema/standard-schema.ts'

/**
 * How callers prove who they are, as OpenAPI writes it down (OpenAPI 3.1, Security Scheme Object).
 */
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

/** A scheme that a hook asks for, with the scopes that it wants. */
export type RequiredScheme = SecurityScheme & { readonly scopes?: readonly string[] }

/** An answer that the service does not know of by itself. */
export interface DeclaredResponse {
  readonly description?: string
  /** What its body holds, by media type; without one, the body is empty. */
  readonly content?: Readonly<Record<string, Schema>>
  /** Its headers, with what each says. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What code around or inside an operation says of itself, for the document: it cannot be read off a
 * function.
 *
 * ```ts
 * const declares = { security: { token: { type: 'http', scheme: 'bearer' } }, errors: ['unauthorized'] }
 * ```
 */
export interface Declaration {
  /** The schemes that a request needs, all of them, by the name they have in the document. */
  readonly security?: Readonly<Record<string, RequiredScheme>>
  /** Errors it refuses with, by their codes (`refuse('unauthorized', …)`). */
  readonly errors?: readonly ErrorCode[]
  /** Answers it makes itself, by status. */
  readonly responses?: Readonly<Record<number, DeclaredResponse>>
  /**
   * Are the operations it is about on their way out? Headers may say since when and until when (RFC
   * 9745, RFC 8594).
   */
  readonly deprecated?: boolean
  /** Headers it sets on any answer, with what each says. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What holds for a rule, or for those of its requests alone that reach another model. */
export interface RuleDeclaration extends Declaration {
  readonly isConditional?: boolean
}

export const declarationOptions: OptionChecks<Declaration> = {
  security: true,
  errors: true,
  responses: true,
  deprecated: 'boolean',
  headers: true,
}
