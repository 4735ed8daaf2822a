import type { ErrorCode } from './catalog.ts'
import { maxReportedProblems } from './max-reported-problems.ts'
import { type ErrorSource, type Problem, problem } from './problem.ts'

/**
 * Validation stops after this many problems, so that an invalid body does not cost much more time.
 */
export const maxProblems = 1_000

/** By lower-case name; an array for a header that is sent in several lines. */
export type ErrorHeaders = Readonly<Record<string, string | readonly string[]>>

/** Further facts about the problem for the client, and headers of the response. */
export interface ApiErrorOptions {
  /** Further facts, for the `meta` of the problem. Default: none. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** Headers of the response, such as `Retry-After`. Default: none. */
  readonly headers?: ErrorHeaders
}

/**
 * Are there as many problems (1 000) as validation looks for in one request?
 *
 * ```ts
 * const problems: Problem[] = []
 * for (const tag of ['classic', '']) {
 *   if (hasReachedMaxProblems(problems)) break
 *   if (!tag) problems.push(problem('invalid-member', "'tags' must not hold an empty text."))
 * }
 * ```
 */
export function hasReachedMaxProblems(problems: readonly Problem[]): boolean {
  return problems.length >= maxProblems
}

/** An item of the model with this name: by its id, or by its index in the values to create. */
export type FailedItem =
  | { readonly model: string; readonly id: string }
  | { readonly model: string; readonly index: number }

/**
 * Ends a request with an error response. It has at least one problem, and the headers that the
 * response needs (`Allow`, `Retry-After`, …). For errors of the client only: any other error that
 * is thrown becomes a 500 response without details. It keeps at most 50 problems, and counts the
 * others.
 *
 * ```ts
 * const error = new ApiError([problem('forbidden', 'Only editors may change prices.')])
 * error.status // 403
 * ```
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly problems: readonly Problem[]
  /** The number of problems that were found but are not in `problems`. */
  readonly omittedCount: number
  readonly headers: ErrorHeaders
  /**
   * The item that an operation of code on several items failed at. No client gets it, because the
   * item may be hidden. Undefined for all other errors.
   */
  readonly item: FailedItem | undefined

  /** @param omittedCount the number of further problems, which are not in `problems` */
  constructor(
    problems: readonly [Problem, ...Problem[]],
    headers: ErrorHeaders = {},
    omittedCount = 0,
    item?: FailedItem,
  ) {
    const reasons = problems
      .slice(0, maxReportedProblems)
      .map(({ code, detail }) => `${code}: ${detail}`)
      .join('; ')
    super(item ? `${nameOf(item)}: ${reasons}` : reasons)
    this.item = item
    this.problems = problems.slice(0, maxReportedProblems)
    this.omittedCount = omittedCount + problems.length - this.problems.length
    this.headers = headers
  }

  /**
   * The status of the response: the status that all problems share, else 400 or 500 (RFC 9457 §3.1,
   * JSON:API 1.1).
   */
  get status(): number {
    const [first, ...others] = this.problems.map(({ status }) => status) as [number, ...number[]]
    if (others.every((status) => status === first)) return first
    return Math.max(first, ...others) >= 500 ? 500 : 400
  }
}

function nameOf(item: FailedItem): string {
  return 'id' in item ? `${item.model} '${item.id}'` : `${item.model} at index ${item.index}`
}

/** The error with the item that it is about; anything but an ApiError as it is. */
export function withFailedItem(error: unknown, item: FailedItem): unknown {
  if (!(error instanceof ApiError)) return error
  const [first, ...others] = error.problems as readonly [Problem, ...Problem[]]
  const failed = new ApiError([first, ...others], error.headers, error.omittedCount, item)
  failed.cause = error
  return failed
}

/**
 * Ends the request with one problem of the catalog. It throws by itself, so a forgotten `throw` in
 * front of it does not let a request through.
 *
 * ```ts
 * if (!isEditor) refuse('forbidden', 'Only editors may change prices.')
 * ```
 * @throws ApiError
 */
export function refuse(
  code: ErrorCode,
  detail: string,
  source?: ErrorSource,
  options?: ApiErrorOptions,
): never {
  throw createApiError(code, detail, source, options)
}

/** Creates an {@link ApiError} with one problem of the catalog, without throwing it. */
export function createApiError(
  code: ErrorCode,
  detail: string,
  source?: ErrorSource,
  options: ApiErrorOptions = {},
): ApiError {
  return new ApiError([problem(code, detail, source, options.meta)], options.headers)
}

/**
 * Throws one {@link ApiError} with all problems, if there are any.
 *
 * ```ts
 * const problems: Problem[] = []
 * if (!isEditor) problems.push(problem('forbidden', 'Only editors may change prices.'))
 * refuseAll(problems)
 * ```
 *
 * @param omittedCount the number of further problems, which are not in the list
 * @throws ApiError if the list is not empty
 */
export function refuseAll(problems: readonly Problem[], omittedCount = 0): void {
  const [first, ...others] = problems
  if (first) throw new ApiError([first, ...others], {}, omittedCount)
}
