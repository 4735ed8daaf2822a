import { isClientAbort } from '../context/client-abort.ts'
import { errorForClient, originalError } from '../context/code-error.ts'
import type { Context } from '../context/context.ts'
import { ApiError, createApiError } from '../error/api-error.ts'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'
import { HookTimeout } from '../error/hook-timeout.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { unexpectedError } from '../error/unexpected-error.ts'
import { ValidationTimeout } from '../error/validation-timeout.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { mergeHeaders } from '../http/headers/response-headers.ts'
import { withAccept } from '../http/headers/vary.ts'
import type { RequestTrace } from '../http/request-trace.ts'
import { challenge } from '../rule/authenticate-challenge.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'
import {
  InvalidPosition,
  OutcomeUnknown,
  StoreOverloaded,
  StoreTimeout,
  StoreUnavailable,
} from '../store/store-failures.ts'
import { invalidCursorDetail } from './apply-page.ts'
import type { RouterServices } from './router-services.ts'

/**
 * Turns any error into a response. Errors that are not the client's fault are reported, and their
 * details are not sent. Of errors of items that code has not caught, those are reported that only
 * other code can prevent.
 * @param trace that of the request, which notes the error
 */
export function encodeError(
  error: unknown,
  serializer: ErrorSerializer,
  context: Context | undefined,
  services: Pick<RouterServices, 'onError' | 'onRefusal' | 'baseUrl'>,
  trace: RequestTrace | undefined = context?.request.trace,
): ApiResponse {
  const isAborted = isClientAbort(error, context)
  const apiError = isAborted ? clientAborted : apiErrorOf(error)
  if (!isAborted) reportError(error, apiError, context, services)
  trace?.fail(apiError.problems[0]?.code ?? '', isOfClient(error) || isAborted ? undefined : error)
  return {
    status: apiError.status,
    headers: {
      'content-type': serializer.errorMediaType,
      vary: 'Accept',
      'x-content-type-options': 'nosniff',
      ...((isAboutCaller(apiError.status) || context?.rule.isPersonal) && {
        'cache-control': 'no-store',
      }),
      ...(apiError.status === 401 && challenge(context?.rule.declarations ?? [])),
      ...mergeHeaders(context?.headers ?? {}, apiError.headers),
      ...(context?.headers.vary && { vary: withAccept(context.headers.vary) }),
    },
    body: {
      kind: 'text',
      text: serializer.writeErrors(
        apiError.status,
        apiError.problems,
        apiError.omittedCount,
        baseUrlOrEmpty(services),
      ),
    },
  }
}

function reportError(
  error: unknown,
  apiError: ApiError,
  context: Context | undefined,
  { onError, onRefusal }: Pick<RouterServices, 'onError' | 'onRefusal'>,
): void {
  if (!isOfClient(error)) {
    onError(error, context)
    return
  }
  const original = originalError(apiError)
  if (!original) return
  if (isExpectedRefusal(original)) onRefusal(original, context)
  else onError(original, context)
}

/** Is it about items and values, rather than about the code alone? */
function isExpectedRefusal({ problems }: ApiError): boolean {
  return problems.every(
    ({ status, code }) => expectedStatuses.has(status) && code !== 'unknown-member',
  )
}

const expectedStatuses = new Set([403, 404, 409, 412, 422])

/**
 * Another caller may be allowed what this one was refused, so shared caches must not store the
 * error.
 */
function isAboutCaller(status: number): boolean {
  return status === 401 || status === 403
}

/** An error needs a response even if the base URL is invalid. */
function baseUrlOrEmpty({ baseUrl }: Pick<RouterServices, 'baseUrl'>): string {
  try {
    return baseUrl()
  } catch {
    return ''
  }
}

function isOfClient(error: unknown): boolean {
  return error instanceof ApiError || error instanceof InvalidPosition
}

/** Never read: the client has closed its connection. */
const clientAborted = createApiError('overloaded', 'The client closed the connection.')

export function authenticationUnavailable({
  retryAfterSeconds,
}: AuthenticationUnavailable): ApiError {
  const detail = 'The credential cannot be checked now. Try again later.'
  return temporaryRefusal('authentication-unavailable', detail, retryAfterSeconds)
}

function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return errorForClient(error)
  if (error instanceof ValidationTimeout)
    return temporaryRefusal('validation-timeout', 'The validation timed out. Try again later.')
  if (error instanceof HookTimeout)
    return temporaryRefusal('hook-timeout', 'The service took too long. Try again later.')
  if (error instanceof AuthenticationUnavailable) return authenticationUnavailable(error)
  if (error instanceof OutcomeUnknown) {
    const detail =
      'It is unknown whether the change was made. Repeat the request with the same Idempotency-Key, or read what it was to change.'
    return temporaryRefusal('outcome-unknown', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreUnavailable) {
    const detail = 'The store is unavailable. Try again later.'
    return temporaryRefusal('store-unavailable', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreOverloaded) {
    const detail = 'The store is overloaded. Try again later.'
    return temporaryRefusal('overloaded', detail, error.retryAfterSeconds)
  }
  if (error instanceof StoreTimeout)
    return createApiError(
      'query-timeout',
      'The query timed out. Request fewer items, or filter and sort by indexed fields.',
    )
  if (error instanceof InvalidPosition)
    return createApiError('invalid-cursor', invalidCursorDetail, { parameter: 'page' })
  return new ApiError([unexpectedError()])
}
