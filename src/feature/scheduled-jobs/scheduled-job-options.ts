import { checkRowName } from '../../background/check-row-name.ts'
import { type RunOptions, runDefaults, runOptionChecks } from '../../background/run-options.ts'
import { checkOptions, type OptionChecks, withDefaults } from '../../model/check-options.ts'
import { RegistrationFaults } from '../../model/describe/registration-faults.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Schedule } from './schedule.ts'
import { type JobTimes, scheduleOf } from './scheduled-job-times.ts'

/** When a scheduled job runs, and what happens when it fails. */
export interface ScheduledJobOptions extends JobTimes {
  /**
   * Do `items` of the function take part in the transaction that stores that the job is done? What
   * it writes with them is then committed exactly once. The transaction holds locks while the
   * function runs, so it should write items only. Default: false.
   */
  readonly inTransaction?: boolean
  /**
   * How often the job is run for one time before it waits for the next one. Runs that a crash
   * interrupted count. Default: 10.
   */
  readonly attempts?: number
  /**
   * The pause after the first failure, in milliseconds. It doubles with each further one, and up to
   * a half of it is left out by chance. Default: 1 000.
   */
  readonly pauseMs?: number
  /** The longest pause, in milliseconds. Default: 600 000 (10 min). */
  readonly maxPauseMs?: number
}

/** What the function of a scheduled job gets. */
export interface ScheduledRun {
  /**
   * Items of any model, as the service. With `inTransaction`, in the transaction that stores that
   * the job is done.
   */
  readonly items: ItemsOf
  /**
   * Aborted when the router closes, and when another process may have taken over. The job then runs
   * again, unless the function returns.
   */
  readonly signal: AbortSignal
  /**
   * The time that it runs for, which is before now if it runs late or again. For `router.runJob`,
   * when that was called.
   */
  readonly scheduledAt: Date
  /** How often it has run for this time, with this run. */
  readonly attempt: number
}

/** The function of a scheduled job: it is done when it returns. */
export type RunScheduledJob = (run: ScheduledRun) => void | Promise<void>

/** A scheduled job with all of its options. */
export interface ScheduledJob {
  readonly name: string
  readonly schedule: Schedule
  readonly options: RunOptions
  readonly run: RunScheduledJob
}

const optionChecks: OptionChecks<ScheduledJobOptions> = {
  every: true,
  at: true,
  on: true,
  timeZone: true,
  ...runOptionChecks,
}

/** @throws RegistrationError with everything that is wrong */
export function createScheduledJob(
  name: string,
  options: ScheduledJobOptions,
  run: RunScheduledJob,
): ScheduledJob {
  const faults = new RegistrationFaults()
  const owner = `job('${String(name)}')`
  faults.attempt(() => checkRowName('job()', name))
  faults.attempt(() => checkOptions(owner, options, optionChecks))
  const schedule = isObject(options) ? faults.attempt(() => scheduleOf(owner, options)) : undefined
  faults.attempt(() => {
    if (typeof run !== 'function')
      throw new RegistrationError(`${owner} expects a function as its third argument.`)
  })
  faults.throwAll()
  const { every: _, at: _at, on: _on, timeZone: _zone, ...others } = options
  return { name, schedule: schedule!, options: withDefaults(runDefaults, others), run }
}

/** What is none is refused as a whole. */
function isObject(options: unknown): boolean {
  return typeof options === 'object' && options !== null
}
