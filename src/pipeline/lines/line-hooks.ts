import { runOperationRequestHooks } from '../operation-request-hooks.ts'
import type { LineCall } from './line-call.ts'
import { endsLines, LinesEnded } from './line-errors.ts'
import type { LineOutcomes } from './run-lines.ts'

/**
 * Runs the request hooks of each line, as of the operations of a batch.
 * @returns the lines that they let through
 * @throws LinesEnded
 */
export async function allowedCalls(
  calls: readonly LineCall[],
  outcomes: LineOutcomes,
): Promise<readonly LineCall[]> {
  const allowed: LineCall[] = []
  for (const call of calls) {
    try {
      await runOperationRequestHooks(call)
      allowed.push(call)
    } catch (error) {
      if (endsLines(error)) throw new LinesEnded(call.line, error)
      outcomes.set(call.line, { kind: 'failed', error })
    }
  }
  return allowed
}
