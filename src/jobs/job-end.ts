import type { Lease } from '../background/lease.ts'
import { truncateErrors } from './bounded-errors.ts'
import type { JobError } from './job-model.ts'
import { type JobRow, jobRows } from './job-rows.ts'
import type { JobServices } from './job-services.ts'
import { removeBody } from './kept-bodies.ts'
import type { LineOutcomes } from './line-outcomes.ts'

/** How a job has ended. */
export interface JobEnd {
  readonly state: 'done' | 'failed'
  readonly result: unknown
  readonly errors: readonly JobError[]
  /** Undefined for an action. */
  readonly linesDone: number | undefined
}

/** @param outcomes of lines; undefined for an action, which failed */
export function jobEnd(
  state: JobEnd['state'],
  outcomes: LineOutcomes | undefined,
  errors: readonly JobError[],
): JobEnd {
  return {
    state,
    result: outcomes && (state === 'done' || outcomes.hasWritten) ? outcomes.counts : null,
    errors: [...errors, ...(outcomes?.errors ?? [])],
    linesDone: outcomes?.count,
  }
}

/** Less than an item may have by default. */
const maxResultChars = 131_072

/** Stores how the job has ended, and removes what was kept to carry it out. */
export async function endJob(
  services: JobServices,
  lease: Lease<JobRow>,
  id: string,
  end: JobEnd,
): Promise<void> {
  const { result, errors } = end
  const isLarge = (JSON.stringify(result) ?? '').length > maxResultChars
  const kept = { ...end, result: isLarge ? null : result, errors: truncateErrors(errors) }
  try {
    await storeEnd(services, lease, id, kept)
  } catch (error) {
    lease.signal.throwIfAborted()
    services.onError(new Error(`What became of the job '${id}' is not kept.`, { cause: error }))
    // A store may refuse a text, or a limit of the service may be lower.
    await storeEnd(services, lease, id, { ...end, result: null, errors: [] })
  }
}

function storeEnd(
  services: JobServices,
  lease: Lease<JobRow>,
  id: string,
  { state, result, errors, linesDone }: JobEnd,
): Promise<void> {
  return lease.change({}, (commit) =>
    services.inTransaction(
      async (items) => {
        await items(services.Job).update(id, {
          state,
          result,
          errors: [...errors],
          endedAt: new Date().toISOString(),
          ...(linesDone !== undefined && { linesDone }),
        })
      },
      async (transaction) => {
        await commit(transaction)
        await transaction.remove(jobRows.model, id)
        await removeBody(transaction, id)
      },
    ),
  )
}
