import { STATUS_CODES } from 'node:http'
import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { unexpectedError } from '../error/unexpected-error.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { RequestTrace } from '../http/request-trace.ts'
import { unknownPath } from '../http/route-problems.ts'
import type { ErrorReporter } from './error-reporter.ts'

/** A response of the host itself, outside of policies: problem details (RFC 9457). */
export function problemResponse(
  problems: readonly [Problem, ...Problem[]],
  status: number = problems[0].status,
  headers: ResponseHeaders = {},
): ApiResponse {
  const [{ title: problemTitle, detail }] = problems
  // The title of `about:blank` is the reason phrase (RFC 9457 §4.2.1).
  const title = STATUS_CODES[status] ?? problemTitle
  return {
    status,
    headers: {
      ...headers,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    },
    body: {
      kind: 'text',
      text: JSON.stringify({ type: 'about:blank', title, status, detail, errors: problems }),
    },
  }
}

/**
 * The response to an error. Anything but {@link ApiError} is reported, and a 500 without details.
 * @param trace that of the request, which notes the error
 */
export function toProblemResponse(
  error: unknown,
  report: ErrorReporter,
  trace?: RequestTrace,
): ApiResponse {
  if (error instanceof ApiError) {
    const [first, ...others] = error.problems
    if (first) {
      trace?.fail(first.code, undefined)
      return problemResponse([first, ...others], error.status, error.headers)
    }
  }
  report(error)
  const problem = unexpectedError()
  trace?.fail(problem.code, error)
  return problemResponse([problem])
}

export function notFoundResponse(path: string): ApiResponse {
  return problemResponse([unknownPath(path)])
}
