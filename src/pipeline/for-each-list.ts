import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'

/**
 * Does something for each list of a feed. What is wrong with several of them is refused at once.
 * @throws ApiError
 */
export async function forEachList<List, Result>(
  lists: readonly List[],
  run: (list: List) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const errors: ApiError[] = []
  for (const list of lists)
    try {
      results.push(await run(list))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      errors.push(error)
    }
  const [first, ...others] = errors
  if (!first) return results
  if (others.length === 0) throw first
  const [problem, ...further] = distinct(errors.flatMap(({ problems }) => problems))
  throw new ApiError(
    [problem!, ...further],
    Object.assign({}, ...errors.map(({ headers }) => headers)),
    errors.reduce((sum, { omittedCount }) => sum + omittedCount, 0),
  )
}

/** Several lists may be refused for the same reason, such as a missing credential. */
function distinct(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter(
    (problem, index) => problems.findIndex((other) => isDeepStrictEqual(other, problem)) === index,
  )
}
