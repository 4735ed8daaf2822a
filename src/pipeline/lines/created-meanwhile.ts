import { ApiError } from '../../error/api-error.ts'
import { withUpdates } from './duplicates.ts'
import type { LineCall, LinesRequest } from './line-call.ts'
import type { LineOutcome, LineOutcomes } from './run-lines.ts'

/** Did the line fail because an item with its id, or with one of its values, exists? */
export function isConflict(outcome: LineOutcome | undefined): boolean {
  return (
    outcome?.kind === 'failed' &&
    outcome.error instanceof ApiError &&
    outcome.error.problems.some(({ code }) => code === 'already-exists' || code === 'value-taken')
  )
}

/**
 * New items that another request has created since they were looked up, as changes of these.
 * @throws LinesEnded
 */
export async function createdMeanwhile(
  request: LinesRequest,
  calls: readonly LineCall[],
): Promise<readonly LineCall[]> {
  const creating = calls.filter(isCreating)
  // A line that cannot be looked up keeps the outcome that it has.
  const outcomes: LineOutcomes = new Map()
  const resolved = await withUpdates(request, creating, outcomes)
  return resolved.filter((call) => !isCreating(call))
}

function isCreating({ operation }: LineCall): boolean {
  return operation.method === 'POST'
}
