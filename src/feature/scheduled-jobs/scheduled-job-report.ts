import { processOf } from '../../background/leased-rows.ts'
import type { Store } from '../../store/store.ts'
import type { ScheduledJob } from './scheduled-job-options.ts'
import { newScheduledJob, type ScheduledJobRow, scheduledJobRows } from './scheduled-job-rows.ts'

/** A run of a scheduled job. */
export interface ReportedRun {
  /** The time that it has run for. */
  readonly scheduledAt: Date
  readonly startedAt: Date
  /** Undefined while it runs, and for a run that was interrupted. */
  readonly endedAt: Date | undefined
  /** `interrupted` if the router closed meanwhile. A process that has crashed seems to run it. */
  readonly outcome: 'running' | 'done' | 'failed' | 'interrupted'
  /** How often it has run for this time. */
  readonly attempts: number
}

/** What became of a scheduled job, and when it runs next. */
export interface ScheduledJobReport {
  readonly name: string
  /** The name of the store, of a router with several. */
  readonly store?: string
  /** Is it registered on the router that was asked? */
  readonly isRegistered: boolean
  /** The host and the id of the process that runs it; undefined if none does. */
  readonly owner: string | undefined
  /** Undefined before the first run. */
  readonly lastRun: ReportedRun | undefined
  /** What failed last; undefined if the last run that ended is done. */
  readonly lastError: string | undefined
  /**
   * When it runs next; in the past while it runs or is repeated. Undefined if it is not registered.
   */
  readonly nextAt: Date | undefined
}

/**
 * Every job that is registered, or ever was over the store, in the order of their names. It stores
 * nothing: a new job has times from the start of the service on.
 */
export async function reportScheduledJobs(
  store: Store,
  jobs: readonly ScheduledJob[],
  now: Date,
): Promise<readonly ScheduledJobReport[]> {
  const added = jobs.map(({ name }) => [name, newScheduledJob(now.getTime())] as const)
  const rows = new Map([...added, ...(await scheduledJobRows.list(store))])
  return [...rows]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, row]) => {
      const job = jobs.find((candidate) => candidate.name === name)
      return {
        name,
        isRegistered: job !== undefined,
        owner: processOf(row),
        lastRun: lastRunOf(row),
        lastError: row.error || undefined,
        nextAt: job && new Date(job.schedule.next(row.settledMs)),
      }
    })
}

function lastRunOf({
  owner,
  scheduledMs,
  startedMs,
  endedMs,
  outcome,
  attempts,
}: ScheduledJobRow): ReportedRun | undefined {
  if (outcome === '') return undefined
  return {
    scheduledAt: new Date(scheduledMs),
    startedAt: new Date(startedMs),
    endedAt: endedMs === 0 ? undefined : new Date(endedMs),
    outcome: outcome === 'running' && owner === '' ? 'interrupted' : outcome,
    attempts,
  }
}
