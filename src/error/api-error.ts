import type { ErrorCode } from './catalog.ts'
import { type ErrorSource, type Problem, problem } from './problem.ts'

/** So many faults are told at once: an answer should not be many times as large as its request. */
export const maxReportedProblems = 50

/**
 * So many are gathered at most: a body of many small faults should not take much longer than one
 * without.
 */
export const maxProblems = 1_000

/** By their names in lower case; an array where there are several lines of one. */
type ErrorHeaders = Readonly<Record<string, string | readonly string[]>>

/** Is there no need to look for more faults? */
export function hasReachedMaxProblems(problems: readonly Problem[]): boolean {
  return problems.length >= maxProblems
}

/**
 * Ends a request with an error answer. It carries all faults found, at least one, and the headers
 * the answer needs (`Allow`, `Retry-After`, …). Not for faults of the service itself: those are
 * ordinary errors, answered as an opaque 500.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly problems: readonly Problem[]
  /**
   * How many more faults were found than `problems` tells; there may be others where many were
   * found.
   */
  readonly omittedCount: number
  readonly headers: ErrorHeaders

  /** @param untold faults that are known of, but not among the problems */
  constructor(problems: readonly [Problem, ...Problem[]], headers: ErrorHeaders = {}, untold = 0) {
    super(
      problems
        .slice(0, maxReportedProblems)
        .map((one) => `${one.code}: ${one.detail}`)
        .join('; '),
    )
    this.problems = problems.slice(0, maxReportedProblems)
    this.omittedCount = untold + problems.length - this.problems.length
    this.headers = headers
  }

  /**
   * The status of the answer: that of the faults when they agree, else the most general one of
   * their class (RFC 9457 §3.1, JSON:API 1.1).
   */
  get status(): number {
    const [first, ...others] = this.problems.map((one) => one.status) as [number, ...number[]]
    if (others.every((status) => status === first)) return first
    return Math.max(first, ...others) >= 500 ? 500 : 400
  }
}

/**
 * Ends the request with one fault of the catalog. It throws by itself: a `throw` in front of it
 * changes nothing, and one that is forgotten lets nobody through.
 *
 * ```ts
 * if (!isEditor) refuse('forbidden', 'Only editors may change prices.')
 * ```
 * @throws ApiError
 */
export function refuse(...fault: Parameters<typeof createApiError>): never {
  throw createApiError(...fault)
}

/**
 * An {@link ApiError} with one fault of the catalog, for callbacks that take an error rather than
 * throw it.
 */
export function createApiError(
  code: ErrorCode,
  detail: string,
  source?: ErrorSource,
  more: { meta?: Readonly<Record<string, unknown>>; headers?: ErrorHeaders } = {},
): ApiError {
  return new ApiError([problem(code, detail, source, more.meta)], more.headers)
}

/**
 * Throws one {@link ApiError} with all faults, when there are any. @param untold further faults,
 * which nothing is known of
 */
export function refuseAll(problems: readonly Problem[], untold = 0): void {
  const [first, ...others] = problems
  if (first) throw new ApiError([first, ...others], {}, untold)
}
