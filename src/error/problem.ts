import { catalog, type ErrorCode } from './catalog.ts'

/**
 * Where in the request the fault lies: a JSON Pointer into the sent body, a query parameter, or a
 * header.
 */
export type ErrorSource =
  | { readonly pointer: string }
  | { readonly parameter: string }
  | { readonly header: string }

/**
 * A stable name that a service gives to an error of its own; those of the catalog keep their
 * meaning.
 */
export type CustomErrorCode = string & Record<never, never>

/**
 * One fault, as every policy can say it: RFC 9457 `errors` members and JSON:API error objects are
 * made from it.
 */
export interface Problem {
  readonly status: number
  readonly code: ErrorCode | CustomErrorCode
  readonly title: string
  /** What was wrong with this request and what would be right, in a full sentence. */
  readonly detail: string
  readonly source?: ErrorSource
  readonly meta?: Readonly<Record<string, unknown>>
}

/** A {@link Problem} with the status and title that the catalog gives its code. */
export function problem(
  code: ErrorCode,
  detail: string,
  source?: ErrorSource,
  meta?: Readonly<Record<string, unknown>>,
): Problem {
  const { status, title } = catalog[code]
  return { status, code, title, detail, ...(source && { source }), ...(meta && { meta }) }
}
