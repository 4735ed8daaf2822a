import { isPromise } from '../concurrency/is-promise.ts'
import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { unwrittenRuleMeta } from '../error/unwritten-rule.ts'

/**
 * Who chose the words of an error that items in code threw: the library, for code that may see
 * everything; or the service, for its clients.
 */
type Words = 'library' | 'service'

const wordsOfErrors = new WeakMap<ApiError, Words>()
const ownErrors = new WeakSet<ApiError>()
/** The errors of code in place of which a client gets less. */
const originals = new WeakMap<ApiError, ApiError>()

/**
 * Runs a function of the service. What it throws by itself has words for clients, also if the
 * function runs because other code has used items.
 */
export function withOwnWords<Result>(call: () => Result): Result {
  try {
    const result = call()
    return isPromise(result) ? (result.then(undefined, rethrowAsOwn) as Result) : result
  } catch (error) {
    return rethrowAsOwn(error)
  }
}

function rethrowAsOwn(error: unknown): never {
  if (error instanceof ApiError && !wordsOfErrors.has(error)) ownErrors.add(error)
  throw error
}

/**
 * Runs an operation of items in code. Its errors are about what the code sent, which no client
 * knows.
 * @param isForCaller does the operation refuse with what the caller may know?
 */
export async function withCodeErrors<Result>(
  isForCaller: boolean,
  operation: () => Promise<Result>,
): Promise<Result> {
  try {
    return await operation()
  } catch (error) {
    if (error instanceof ApiError && !wordsOfErrors.has(error))
      wordsOfErrors.set(error, isForCaller || ownErrors.has(error) ? 'service' : 'library')
    throw error
  }
}

/** Makes an error one of code as the other one is. */
export function markLike(error: unknown, other: unknown): unknown {
  const words = other instanceof ApiError && wordsOfErrors.get(other)
  if (words && error instanceof ApiError) wordsOfErrors.set(error, words)
  return error
}

/**
 * The error as a client may get it. If code of the service did not catch an error of its items, no
 * source of it exists in the request, and its sentences may name hidden members: then the client
 * gets the titles, and the error is the `cause`.
 */
export function errorForClient(error: ApiError): ApiError {
  const words = wordsOfErrors.get(error)
  if (!words) return error
  const problems = error.problems.map((problem) =>
    words === 'service' || isItemRule(problem) ? withoutSource(problem) : withoutDetails(problem),
  )
  const distinct = new Map(problems.map((problem) => [problem.code + problem.detail, problem]))
  const [first, ...others] = distinct.values()
  const clientError = new ApiError([first!, ...others], error.headers, error.omittedCount)
  clientError.cause = error
  if (problems.some(({ detail }, index) => detail !== error.problems[index]!.detail))
    originals.set(clientError, error)
  return clientError
}

/** The error that a client does not get as it is; undefined if it lacks no sentence. */
export function originalError(clientError: ApiError): ApiError | undefined {
  return originals.get(clientError)
}

/** The same error with other problems, for the same client. */
export function withProblems(
  error: ApiError,
  problems: readonly [Problem, ...Problem[]],
): ApiError {
  const changed = new ApiError(problems, error.headers, error.omittedCount)
  const original = originals.get(error)
  if (original) originals.set(changed, original)
  return changed
}

/** Its sentence is the service's own, and names no hidden member. */
function isItemRule({ meta }: Problem): boolean {
  return meta?.['violates'] === unwrittenRuleMeta.item.violates
}

function withoutSource({ source: _, ...problem }: Problem): Problem {
  return problem
}

function withoutDetails({ status, code, title }: Problem): Problem {
  const reason = title.charAt(0).toLowerCase() + title.slice(1)
  return {
    status,
    code,
    title,
    detail: `The service refused a change that this request causes: ${reason}.`,
  }
}
