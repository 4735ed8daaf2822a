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

/** An item that an operation of code on several items could not be done with. */
export interface FailedItem {
  /** The name of its model. */
  readonly model: string
  /** Undefined for a new item. */
  readonly id: string | undefined
  /** Where it stands in the values of new items, from 0; undefined for a stored item. */
  readonly index: number | undefined
  /** What is wrong with it: at most 50 problems. */
  readonly problems: readonly Problem[]
  /** The number of its problems that are not in `problems`. */
  readonly omittedCount: number
}

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
   * All items that an operation of code on several items (`createMany`, `updateWhere`,
   * `deleteWhere`) could not be done with. `problems` are those of the first. No client gets them,
   * because the items may be hidden. Empty for all other errors.
   */
  readonly failedItems: readonly FailedItem[]

  /** @param omittedCount the number of further problems, which are not in `problems` */
  constructor(
    problems: readonly [Problem, ...Problem[]],
    headers: ErrorHeaders = {},
    omittedCount = 0,
    failedItems: readonly FailedItem[] = [],
  ) {
    const reasons = problems
      .slice(0, maxReportedProblems)
      .map(({ code, detail }) => `${code}: ${detail}`)
      .join('; ')
    super(failedItems.length > 0 ? `${namesOf(failedItems)}: ${reasons}` : reasons)
    this.failedItems = failedItems
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

/** The first item, and how many others there are. */
function namesOf([first, ...others]: readonly FailedItem[]): string {
  const { model, id, index } = first!
  const name = id === undefined ? `${model} at index ${index}` : `${model} '${id}'`
  return others.length === 0 ? name : `${name} (and ${others.length} more)`
}

/** The error of the first item, with all items that an operation could not be done with. */
export function failedAt(error: ApiError, failedItems: readonly FailedItem[]): ApiError {
  const [first, ...others] = error.problems as readonly [Problem, ...Problem[]]
  const failed = new ApiError([first, ...others], error.headers, error.omittedCount, failedItems)
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
 * @throws ApiError; TypeError for a code that the catalog does not have
 */
export function refuse(
  code: ErrorCode,
  detail: string,
  source?: ErrorSource,
  options?: ApiErrorOptions,
): never {
  if (typeof code !== 'string')
    throw new TypeError(`refuse() expects a code such as 'forbidden'; got ${String(code)}.`)
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
