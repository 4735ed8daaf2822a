import { errorForClient, withProblems } from '../../context/code-error.ts'
import { ApiError } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import type { ItemLines } from '../../rule/item-lines.ts'
import { StoreOverloaded, StoreUnavailable } from '../../store/store-failures.ts'
import { encodeError } from '../encode-error.ts'
import type { LinesRequest } from './line-call.ts'

/** Ends the work: the next lines would fail in the same manner. */
export class LinesEnded extends Error {
  override readonly name = 'LinesEnded'

  constructor(cause: unknown) {
    super('The next lines are not carried out.', { cause })
  }
}

/** Would the next lines fail in the same manner? */
export function endsLines(error: unknown): boolean {
  if (error instanceof ApiError)
    return error.problems.some(({ code }) => code === 'too-many-requests')
  return error instanceof StoreUnavailable || error instanceof StoreOverloaded
}

/** The error with pointers into its line. */
export function inLine(error: unknown, { pointerPrefix }: ItemLines): unknown {
  if (!(error instanceof ApiError)) return error
  return changed(error, (problem) => withoutPrefix(problem, pointerPrefix))
}

/**
 * The error as a part of a document about all lines. The body is no JSON, so that pointers into
 * lines lead nowhere in it.
 */
export function withLineNumber(error: ApiError, line: number): ApiError {
  return changed(error, ({ source, meta, ...problem }) => {
    const pointer = source && 'pointer' in source && source.pointer !== '' ? source : undefined
    return { ...problem, meta: { ...meta, line, ...pointer } }
  })
}

/** The text of the response for a line that failed, in the words of the policy. */
export function failedLine(
  { services, endpoint, context, lines }: LinesRequest,
  number: number,
  error: unknown,
): string {
  const { status, body } = encodeError(inLine(error, lines), endpoint.serializer, context, services)
  const document = body.kind === 'text' ? JSON.parse(body.text) : undefined
  const errors = Array.isArray(document?.errors) ? document.errors : [document]
  return `${JSON.stringify({ line: number, status, errors })}\n`
}

function changed(error: ApiError, change: (problem: Problem) => Problem): ApiError {
  const clientError = errorForClient(error)
  const [first, ...others] = clientError.problems.map(change)
  return withProblems(clientError, [first!, ...others])
}

function withoutPrefix(problem: Problem, prefix: string): Problem {
  const { source, code, status } = problem
  // The words of a batch of operations.
  if (code === 'operation-refused')
    return { ...problem, detail: `Middleware refused the line with status ${status}.` }
  return source && 'pointer' in source && source.pointer.startsWith(prefix)
    ? { ...problem, source: { pointer: source.pointer.slice(prefix.length) } }
    : problem
}
