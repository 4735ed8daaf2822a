import { type LeasedRow, LeasedRows } from '../../background/leased-rows.ts'
import { internalModel } from '../../store/internal-model.ts'

/** What became of the last run; empty before the first one. */
type StoredOutcome = '' | 'running' | 'done' | 'failed'

/** What the store keeps of a scheduled job. Times are in milliseconds since 1970; 0 is none. */
export interface ScheduledJobRow extends LeasedRow {
  /** The time that it has last run for; its attempts may go on. */
  readonly scheduledMs: number
  /** All times until this one are done, given up or missed. */
  readonly settledMs: number
  /** How often it has run for that time. */
  readonly attempts: number
  /** Of the last run. */
  readonly startedMs: number
  readonly endedMs: number
  readonly outcome: StoredOutcome
  /** What failed last; empty once a run is done. */
  readonly error: string
}

/** All scheduled jobs that ever were registered over a store. */
export const scheduledJobRows: LeasedRows<ScheduledJobRow> = new LeasedRows(
  internalModel('scheduledJob', 'scheduled_jobs', {
    owner: 'string',
    beat: 'integer',
    scheduledMs: 'integer',
    settledMs: 'integer',
    attempts: 'integer',
    startedMs: 'integer',
    endedMs: 'integer',
    outcome: 'string',
    error: 'string',
  }),
  'scheduled job',
)

/** @param nowMs its first time comes after this one */
export function newScheduledJob(nowMs: number): ScheduledJobRow {
  return {
    owner: '',
    beat: 0,
    scheduledMs: 0,
    settledMs: nowMs,
    attempts: 0,
    startedMs: 0,
    endedMs: 0,
    outcome: '',
    error: '',
  }
}
