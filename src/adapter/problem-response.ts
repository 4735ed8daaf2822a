import { STATUS_CODES } from 'node:http'
import { ApiError } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { ErrorReporter } from './error-reporter.ts'

/** The answer of a host itself, where no policy has a say: problem details (RFC 9457). */
export function problemResponse(
  problems: readonly [Problem, ...Problem[]],
  status: number = problems[0].status,
  headers: ResponseHeaders = {},
): ApiResponse {
  const [{ title: fault, detail }] = problems
  // A problem without a type of its own is titled as its status is (RFC 9457 §4.2.1).
  const title = STATUS_CODES[status] ?? fault
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
 * The answer to anything thrown. What is no {@link ApiError} is a fault of the service: reported,
 * and an opaque 500.
 */
export function toProblemResponse(error: unknown, report: ErrorReporter): ApiResponse {
  if (error instanceof ApiError) {
    const [first, ...others] = error.problems
    if (first) return problemResponse([first, ...others], error.status, error.headers)
  }
  report(error)
  return problemResponse([
    problem('internal-error', 'The service met a fault of its own; it has been recorded.'),
  ])
}

export function notFoundResponse(path: string): ApiResponse {
  return problemResponse([problem('not-found', `There is nothing at '${path}'.`)])
}
