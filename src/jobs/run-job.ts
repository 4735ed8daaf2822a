import type { Lease } from '../background/lease.ts'
import { growingPause, pause } from '../concurrency/pause.ts'
import { errorCatalog } from '../error/catalog.ts'
import { attemptJob, type JobAttempt } from './attempt-job.ts'
import { endJob, type JobEnd, jobEnd } from './job-end.ts'
import type { JobRow } from './job-rows.ts'
import type { JobServices } from './job-services.ts'
import { LineOutcomes } from './line-outcomes.ts'

/** How often a job is begun that gets no further. */
const maxAttempts = 5

/** How often a job goes on after something that passes, without getting further. */
const maxStops = 20

const firstPauseMs = 500
const maxPauseMs = 60_000

/** How often the number of lines is stored for those who look at the job. */
const progressMs = 1_000

/**
 * Carries out a job, and stores how it has ended.
 * @throws the reason of the signal, and what the store throws
 */
export async function runJob(
  services: JobServices,
  lease: Lease<JobRow>,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  let end: JobEnd
  try {
    end = await endOfJob(services, lease, id, signal)
  } catch (error) {
    signal.throwIfAborted()
    services.onError(new Error(`The job '${id}' failed.`, { cause: error }))
    const detail = 'The service failed to carry out the request.'
    end = failedEnd(lease.row, 'internal-error', detail)
  }
  await endJob(services, lease, id, end)
}

/** The action was committed, and its process ended before it could keep the response. */
const endOfAction: JobEnd = Object.freeze({
  state: 'done',
  result: null,
  errors: [],
  linesDone: undefined,
})

async function endOfJob(
  services: JobServices,
  lease: Lease<JobRow>,
  id: string,
  signal: AbortSignal,
): Promise<JobEnd> {
  const { attempts, actedCount, requestedBy } = lease.row
  if (actedCount > 0) return endOfAction
  if (attempts >= maxAttempts) {
    const detail = `The job was begun ${maxAttempts} times, and did not end.`
    return failedEnd(lease.row, 'internal-error', detail)
  }
  await lease.change({ attempts: attempts + 1 })
  await noteStart(services, id)
  const caller = await services.settings.callerOf(requestedBy, services.items)
  if (caller === undefined || caller === null) {
    const detail = 'The caller who has sent the request is not known any more.'
    return failedEnd(lease.row, 'forbidden', detail)
  }
  const onProgress = progressNotes(services, lease, id)
  const attempt: JobAttempt = { services, lease, id, caller, signal, onProgress }
  for (let stops = 0; ; ) {
    const before = lineCount(lease.row)
    // The outcome of its last transaction may not be known.
    await lease.change({})
    const { row } = lease
    if (row.actedCount > 0) return endOfAction
    const outcome = await attemptJob(attempt, new LineOutcomes(row))
    signal.throwIfAborted()
    if (outcome.kind === 'ended') return outcome.end
    stops = lineCount(lease.row) > before ? 1 : stops + 1
    if (stops > maxStops) return outcome.end
    const afterMs = Math.min((outcome.afterSeconds ?? 0) * 1_000, maxPauseMs)
    await pause(Math.max(afterMs, growingPause(stops, firstPauseMs, maxPauseMs)), signal)
    signal.throwIfAborted()
  }
}

function lineCount({ created, updated, failed }: JobRow): number {
  return created + updated + failed
}

/** The end of a job that the policy has no response for. */
function failedEnd(row: JobRow, code: 'forbidden' | 'internal-error', detail: string): JobEnd {
  const { status, title } = errorCatalog[code]
  const outcomes = row.kind === 'lines' ? new LineOutcomes(row) : undefined
  return jobEnd('failed', outcomes, [{ status, errors: [{ status, code, title, detail }] }])
}

async function noteStart({ inTransaction, Job }: JobServices, id: string): Promise<void> {
  await inTransaction(
    async (items) => {
      const job = await items(Job).get(id)
      if (job?.state === 'waiting')
        await items(Job).update(id, { state: 'running', startedAt: new Date().toISOString() })
    },
    async () => undefined,
  )
}

/** Stores the number of lines now and then. */
function progressNotes(
  { inTransaction, Job }: JobServices,
  lease: Lease<JobRow>,
  id: string,
): (count: number) => Promise<void> {
  let notedAt = performance.now()
  return async (linesDone) => {
    if (performance.now() - notedAt < progressMs) return
    notedAt = performance.now()
    await lease.change({}, (commit) =>
      inTransaction(async (items) => {
        await items(Job).update(id, { linesDone })
      }, commit),
    )
  }
}
