import { yieldIfBusy } from '../../concurrency/yield-to-event-loop.ts'
import { createCall, type LineCall, type LinesRequest } from './line-call.ts'
import type { Line } from './read-lines.ts'
import type { LineOutcomes } from './run-lines.ts'

/** Reads the lines as new items. Other requests run between them. */
export async function readCalls(
  request: LinesRequest,
  lines: readonly Line[],
  outcomes: LineOutcomes,
): Promise<readonly LineCall[]> {
  const calls: LineCall[] = []
  for (const line of lines) {
    await yieldIfBusy(request.context)
    try {
      calls.push(createCall(request, line))
    } catch (error) {
      outcomes.set(line, { kind: 'failed', error })
    }
  }
  return calls
}
