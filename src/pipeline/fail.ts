import type { Context } from '../context/context.ts'
import { ApiError, refusal } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { ValidationTimeout } from '../error/validation-timeout.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { mergedHeaders } from '../http/response-headers.ts'
import { challenge } from '../rule/challenge.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import { StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store/store.ts'
import type { Parts } from './parts.ts'
import { withAccept } from './vary.ts'

/** Turns anything thrown into an answer. What is not the caller's fault is reported, and answered without telling what it was. */
export function fail(
  error: unknown,
  serializer: ErrorSerializer,
  context: Context | undefined,
  parts: Pick<Parts, 'report' | 'baseUrl'>,
): ApiResponse {
  const isLeft = hasLeft(error, context)
  const known = isLeft ? left : apiErrorOf(error)
  if (!isLeft && !(error instanceof ApiError)) parts.report(error, context)
  return {
    status: known.status,
    headers: {
      'content-type': serializer.errorMediaType,
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      ...((isAboutCaller(known.status) || isPersonal(context)) && { 'cache-control': 'no-store' }),
      ...(known.status === 401 && challenge(context?.rule.declarations ?? [])),
      ...mergedHeaders(context?.headers ?? {}, known.headers),
      ...(context?.headers.vary && { vary: withAccept(context.headers.vary) }),
    },
    body: { kind: 'text', text: serializer.errors(known.status, known.problems, known.untold, knownBaseUrl(parts)) },
  }
}

/** Is it the caller that is refused? */
function isAboutCaller(status: number): boolean {
  return status === 401 || status === 403
}

/** What one caller is refused, another may be given: caches that they share keep neither. */
function isPersonal(context: Context | undefined): boolean {
  return context !== undefined && context.rule.operation !== 'Batch' && context.rule.isPersonal === true
}

/** An error must be answered even where the service's address is the fault. */
function knownBaseUrl({ baseUrl }: Pick<Parts, 'baseUrl'>): string {
  try {
    return baseUrl()
  } catch {
    return ''
  }
}

/** Nobody reads it: the client has closed its connection, and what was done for it was given up. */
const left = refusal('overloaded', 'The client left before it was answered.')

/** Was the work given up because the client left? Nothing went wrong then that anybody would have to hear of. */
export function hasLeft(error: unknown, context: Context | undefined): boolean {
  return (
    context !== undefined && !(error instanceof ApiError) && context.signal.aborted && error === context.signal.reason
  )
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ValidationTimeout)
    return temporaryRefusal('validation-timeout', 'The values could not be validated in time; try again later.')
  if (error instanceof StoreUnavailable) {
    const detail = 'The store cannot be reached for the moment; try again later.'
    return temporaryRefusal('store-unavailable', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreOverloaded) {
    const detail = 'Too much waits for the store already; try again in a moment.'
    return temporaryRefusal('overloaded', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreTimeout)
    return refusal('query-timeout', 'The items took too long to find; ask for less, or by fields that have an index.')
  return refusal('internal-error', 'The request was understood, but could not be answered; it has been reported.')
}
