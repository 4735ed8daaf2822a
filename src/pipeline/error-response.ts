import { type ErrorCode, errorCatalog } from '../error/catalog.ts'
import type { ErrorResponse, HeaderPresence } from '../rule/response-shape.ts'

export type HeadersByCode = { readonly [code in ErrorCode]?: HeaderPresence }

/** The headers of errors; `sometimes` if other errors with the same status do not have them. */
const headersByCode: HeadersByCode = {
  'method-not-allowed': { allow: 'always' },
  'unsupported-encoding': { 'accept-encoding': 'sometimes' },
  unauthorized: { 'www-authenticate': 'always' },
  'invalid-credentials': { 'www-authenticate': 'always' },
  'insufficient-scope': { 'www-authenticate': 'sometimes' },
  'authentication-unavailable': { 'retry-after': 'sometimes' },
  'store-unavailable': { 'retry-after': 'sometimes' },
  'outcome-unknown': { 'retry-after': 'sometimes' },
  'too-many-requests': { 'retry-after': 'sometimes' },
  overloaded: { 'retry-after': 'sometimes' },
  'validation-timeout': { 'retry-after': 'sometimes' },
  'hook-timeout': { 'retry-after': 'sometimes' },
  'range-not-satisfiable': { 'content-range': 'always' },
}

const withoutExtraHeaders = new Map<ErrorCode, ErrorResponse>()

/** @param extraHeaders headers in addition to those that the code always has */
export function errorResponse(code: ErrorCode, extraHeaders: HeadersByCode = {}): ErrorResponse {
  if (extraHeaders[code]) return createErrorResponse(code, extraHeaders)
  // Each rule of a router has about thirty of them.
  const existing = withoutExtraHeaders.get(code)
  if (existing) return existing
  const created = createErrorResponse(code, {})
  withoutExtraHeaders.set(code, created)
  return created
}

function createErrorResponse(code: ErrorCode, extraHeaders: HeadersByCode): ErrorResponse {
  const { status, title } = errorCatalog[code]
  return Object.freeze({
    code,
    status,
    description: title,
    headers: { ...headersByCode[code], ...extraHeaders[code] },
  })
}
