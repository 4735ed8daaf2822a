import { errorForClient, withProblems } from '../context/code-error.ts'
import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { OperationPayload } from '../rule/batch-payload.ts'

/** The position of an operation in the batch document. */
type OperationSource = Pick<OperationPayload<never>, 'steps' | 'ifMatch' | 'ifMatchName'>

/**
 * The error of an operation, with sources in the document of the batch. Other errors are returned
 * as they are.
 */
export function inBatchDocument(error: unknown, operation: OperationSource): unknown {
  if (!(error instanceof ApiError)) return error
  const inDocument = withSources(error, operation)
  operations.set(inDocument, operation)
  return inDocument
}

/** The operation that an error of `inBatchDocument` is about. */
export function operationOf(error: unknown): OperationSource | undefined {
  return error instanceof ApiError ? operations.get(error) : undefined
}

const operations = new WeakMap<ApiError, OperationSource>()

function withSources(error: ApiError, operation: OperationSource): ApiError {
  const clientError = errorForClient(error)
  const [first, ...others] = clientError.problems.map((problem) =>
    problemInBatchDocument(problem, operation),
  )
  return withProblems(clientError, [first!, ...others])
}

function problemInBatchDocument(
  problem: Problem,
  { steps, ifMatch, ifMatchName }: OperationSource,
): Problem {
  const { source } = problem
  if (source && 'pointer' in source)
    return { ...problem, source: { pointer: formatPointer(steps) + source.pointer } }
  if (!source || !('header' in source) || source.header !== 'If-Match')
    return { ...problem, source: { pointer: formatPointer(steps) } }
  if (ifMatch) return { ...problem, source: { pointer: formatPointer(ifMatch.steps) } }
  const detail = `${problem.detail} In a batch operation, use '${ifMatchName}' instead of the If-Match header.`
  return { ...problem, detail, source: { pointer: formatPointer(steps) } }
}
