import { type ErrorCode, errorCatalog } from './catalog.ts'
import { unknownErrorCode } from './unknown-error-code.ts'

/** The part of the request that caused the problem. A pointer is a JSON Pointer into its body. */
export type ErrorSource =
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }

/** A code that a service defines for an error of its own, beside the codes of the catalog. */
export type CustomErrorCode = string & Record<never, never>

/** One error, independent of the policy that sends it (RFC 9457 or JSON:API error objects). */
export interface Problem {
  readonly status: number
  readonly code: ErrorCode | CustomErrorCode
  readonly title: string
  /** What is wrong with this request and what is expected, in a full sentence. */
  readonly detail: string
  readonly source?: ErrorSource
  readonly meta?: Readonly<Record<string, unknown>>
}

/**
 * Creates a {@link Problem} with the status and title of its code in the catalog.
 *
 * ```ts
 * const pointer = '/price'
 * const negative = problem('invalid-member', "'price' must be at least 0; got -1.", { pointer })
 * ```
 * @throws TypeError if the catalog has no such code
 */
export function problem(
  code: ErrorCode,
  detail: string,
  source?: ErrorSource,
  meta?: Readonly<Record<string, unknown>>,
): Problem {
  const message = unknownErrorCode(code)
  if (message !== undefined) throw new TypeError(message)
  const { status, title } = errorCatalog[code]
  return { status, code, title, detail, ...(source && { source }), ...(meta && { meta }) }
}
