import { attempt, type FailedAttempt, noWrites } from '../../background/attempt.ts'
import type { Lease } from '../../background/lease.ts'
import { errorText } from '../../error/error-text.ts'
import type { ScheduledJob } from './scheduled-job-options.ts'
import type { ScheduledJobRow } from './scheduled-job-rows.ts'
import type { ScheduledJobServices } from './scheduled-job-services.ts'

/** A run of a job, for one time. */
export interface JobRun {
  readonly job: ScheduledJob
  readonly services: ScheduledJobServices
  readonly lease: Lease<ScheduledJobRow>
  /** Aborted when the router closes, or the lease is lost. */
  readonly signal: AbortSignal
  readonly scheduledMs: number
  /** How often the job has run for this time, with this run. */
  readonly attempts: number
  /** What is stored besides, once it is done or has failed. */
  readonly whenDone: Partial<ScheduledJobRow>
  readonly whenFailed: Partial<ScheduledJobRow>
}

/**
 * Calls the function of a job once, and stores what became of it. That it begins is stored first,
 * so that runs count which end with their process.
 * @returns why it failed; undefined if it is done
 * @throws what the store throws, and the reason of the signal
 */
export async function runOnce(run: JobRun): Promise<FailedAttempt | undefined> {
  const { job, services, lease, signal, scheduledMs, attempts } = run
  const nowMs = (): number => services.clock().getTime()
  const started = { scheduledMs, attempts, startedMs: nowMs(), endedMs: 0 }
  await lease.change({ ...started, outcome: 'running' })
  const failed = await attempt<ScheduledJobRow>({
    lease,
    services,
    signal,
    inTransaction: job.options.inTransaction,
    run: (items) =>
      job.run({ items, signal, scheduledAt: new Date(scheduledMs), attempt: attempts }),
    changes: () => ({ ...run.whenDone, endedMs: nowMs(), outcome: 'done', error: '' }),
    others: noWrites,
  })
  if (failed) {
    const error = errorText(failed.cause)
    await lease.change({ ...run.whenFailed, endedMs: nowMs(), outcome: 'failed', error })
  }
  return failed
}
