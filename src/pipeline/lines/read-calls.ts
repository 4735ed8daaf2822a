import { yieldIfBusy } from '../../concurrency/yield-to-event-loop.ts'
import { createCall, type LineCall, type LinesRequest, type UnreadableCall } from './line-call.ts'
import type { Line } from './read-lines.ts'

/** Reads the lines as new items. Other requests run between them. */
export async function readCalls(
  request: LinesRequest,
  lines: readonly Line[],
): Promise<readonly (LineCall | UnreadableCall)[]> {
  const calls: (LineCall | UnreadableCall)[] = []
  for (const line of lines) {
    await yieldIfBusy(request.context)
    calls.push(createCall(request, line))
  }
  return calls
}
