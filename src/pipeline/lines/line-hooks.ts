import { runOperationRequestHooks } from '../operation-request-hooks.ts'
import type { LineCall, UnreadableCall } from './line-call.ts'
import { endsLines, LinesEnded } from './line-errors.ts'
import type { LineOutcomes } from './run-lines.ts'

interface AllowedCalls {
  readonly allowed: readonly LineCall[]
  readonly ended: LinesEnded | undefined
}

/**
 * Runs the request hooks of each line, as of the operations of a batch. Rate limits are such hooks,
 * so they run for lines that cannot be read too.
 * @returns the lines that can be read and that they let through, and why no others are looked at
 */
export async function allowedCalls(
  calls: readonly (LineCall | UnreadableCall)[],
  outcomes: LineOutcomes,
): Promise<AllowedCalls> {
  const allowed: LineCall[] = []
  for (const call of calls) {
    try {
      await runOperationRequestHooks(call)
      if (call.payload) allowed.push(call)
      else outcomes.set(call.line, { kind: 'failed', error: call.error })
    } catch (error) {
      if (endsLines(error)) return { allowed, ended: new LinesEnded(error) }
      outcomes.set(call.line, { kind: 'failed', error })
    }
  }
  return { allowed, ended: undefined }
}
