import { isClientAbort } from '../context/client-abort.ts'
import type { Context } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import { ApiError, createApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { ValidationTimeout } from '../error/validation-timeout.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { mergeHeaders } from '../http/headers/response-headers.ts'
import { withAccept } from '../http/headers/vary.ts'
import { challenge } from '../rule/authenticate-challenge.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import { StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store/store.ts'

/**
 * Turns anything thrown into an answer. What is not the caller's fault is reported, and answered
 * without telling what it was.
 */
export function encodeError(
  error: unknown,
  serializer: ErrorSerializer,
  context: Context | undefined,
  parts: Pick<RouterServices, 'onError' | 'baseUrl'>,
): ApiResponse {
  const isLeft = isClientAbort(error, context)
  const known = isLeft ? clientAborted : apiErrorOf(error)
  if (!isLeft && !(error instanceof ApiError)) parts.onError(error, context)
  return {
    status: known.status,
    headers: {
      'content-type': serializer.errorMediaType,
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      ...((isAboutCaller(known.status) || isPersonal(context)) && { 'cache-control': 'no-store' }),
      ...(known.status === 401 && challenge(context?.rule.declarations ?? [])),
      ...mergeHeaders(context?.headers ?? {}, known.headers),
      ...(context?.headers.vary && { vary: withAccept(context.headers.vary) }),
    },
    body: {
      kind: 'text',
      text: serializer.writeErrors(
        known.status,
        known.problems,
        known.omittedCount,
        baseUrlOrEmpty(parts),
      ),
    },
  }
}

/** Is it the caller that is refused? */
function isAboutCaller(status: number): boolean {
  return status === 401 || status === 403
}

/** What one caller is refused, another may be given: caches that they share keep neither. */
function isPersonal(context: Context | undefined): boolean {
  return (
    context !== undefined && context.rule.operation !== 'Batch' && context.rule.isPersonal === true
  )
}

/** An error must be answered even where the service's address is the fault. */
function baseUrlOrEmpty({ baseUrl }: Pick<RouterServices, 'baseUrl'>): string {
  try {
    return baseUrl()
  } catch {
    return ''
  }
}

/** Nobody reads it: the client has closed its connection, and what was done for it was given up. */
const clientAborted = createApiError('overloaded', 'The client left before it was answered.')

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof ValidationTimeout)
    return temporaryRefusal(
      'validation-timeout',
      'The values could not be validated in time; try again later.',
    )
  if (error instanceof StoreUnavailable) {
    const detail = 'The store cannot be reached for the moment; try again later.'
    return temporaryRefusal('store-unavailable', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreOverloaded) {
    const detail = 'Too much waits for the store already; try again in a moment.'
    return temporaryRefusal('overloaded', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreTimeout)
    return createApiError(
      'query-timeout',
      'The items took too long to find; ask for less, or by fields that have an index.',
    )
  return createApiError(
    'internal-error',
    'The request was understood, but could not be answered; it has been reported.',
  )
}
