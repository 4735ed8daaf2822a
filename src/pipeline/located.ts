import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { pointer } from '../http/json-pointer.ts'
import type { SentOperation } from '../rule/batch.ts'

/** What an operation of a batch knows of its place. */
type Place = Pick<SentOperation<never>, 'steps' | 'ifMatch' | 'ifMatchName'>

/** The error of an operation as one of its batch: its sources are places in the document of the batch. Other errors stay as they are. */
export function located(error: unknown, operation: Place): unknown {
  if (!(error instanceof ApiError)) return error
  const [first, ...others] = error.problems.map((problem) => locatedProblem(problem, operation))
  return new ApiError([first!, ...others], error.headers, error.untold)
}

function locatedProblem(problem: Problem, { steps, ifMatch, ifMatchName }: Place): Problem {
  const { source } = problem
  if (source && 'pointer' in source) return { ...problem, source: { pointer: pointer(steps) + source.pointer } }
  if (!source || !('header' in source) || source.header !== 'If-Match')
    return { ...problem, source: { pointer: pointer(steps) } }
  if (ifMatch) return { ...problem, source: { pointer: pointer(ifMatch.steps) } }
  const detail = `${problem.detail} In an operation of a batch it is called '${ifMatchName}'.`
  return { ...problem, detail, source: { pointer: pointer(steps) } }
}
