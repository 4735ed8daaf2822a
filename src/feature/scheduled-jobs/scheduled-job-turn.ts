import type { FailedAttempt } from '../../background/attempt.ts'
import type { Lease } from '../../background/lease.ts'
import { growingPause, pause } from '../../concurrency/pause.ts'
import { errorText } from '../../error/error-text.ts'
import { runOnce } from './run-once.ts'
import type { ScheduledJob } from './scheduled-job-options.ts'
import type { ScheduledJobRow } from './scheduled-job-rows.ts'
import type { ScheduledJobServices } from './scheduled-job-services.ts'

/** The runs of a job in a process that has its lease. */
export class ScheduledJobTurn {
  readonly #job: ScheduledJob
  readonly #services: ScheduledJobServices
  readonly #lease: Lease<ScheduledJobRow>
  /** Aborted when the router closes, or the lease is lost. */
  readonly signal: AbortSignal
  #unfinished: Partial<ScheduledJobRow> = {}

  constructor(
    job: ScheduledJob,
    services: ScheduledJobServices,
    lease: Lease<ScheduledJobRow>,
    closing: AbortSignal,
  ) {
    this.#job = job
    this.#services = services
    this.#lease = lease
    this.signal = AbortSignal.any([closing, lease.signal])
  }

  /** What is stored of a run that ends because of the signal: it does not count. */
  get unfinished(): Partial<ScheduledJobRow> {
    return this.#unfinished
  }

  /**
   * Runs the job for the last time that has passed, and pauses if it fails.
   * @throws what the store throws, and the reason of the signal
   */
  async run(): Promise<void> {
    const { schedule, options } = this.#job
    const { row } = this.#lease
    const scheduledMs = schedule.latest(row.settledMs, this.#nowMs())
    if (scheduledMs === undefined) return
    const before = row.scheduledMs === scheduledMs ? row.attempts : 0
    if (before >= options.attempts) return this.#giveUp(scheduledMs, before)
    const attempts = before + 1
    const isLast = attempts === options.attempts
    this.#unfinished = { attempts: before }
    const failed = await runOnce({
      job: this.#job,
      services: this.#services,
      lease: this.#lease,
      signal: this.signal,
      scheduledMs,
      attempts,
      whenDone: { settledMs: scheduledMs },
      whenFailed: isLast ? { settledMs: scheduledMs } : {},
    })
    this.#unfinished = {}
    if (failed) await this.#afterFailure(failed, scheduledMs, attempts)
  }

  async #afterFailure(
    { cause }: FailedAttempt,
    scheduledMs: number,
    attempts: number,
  ): Promise<void> {
    const { schedule, options } = this.#job
    const isLast = attempts === options.attempts
    const count = isLast
      ? `after all of ${attempts} attempts, and runs next at ${this.#nextTime(scheduledMs)}`
      : `after ${attempts} of ${options.attempts} attempts`
    this.#report(`failed for ${inWords(scheduledMs)}, ${count}: ${errorText(cause)}`, cause)
    if (isLast) return
    // It is not repeated beyond the next time.
    const leftMs = Math.max(schedule.next(scheduledMs) - this.#nowMs(), 0)
    const pauseMs = growingPause(attempts, options.pauseMs, options.maxPauseMs)
    await pause(Math.min(pauseMs, leftMs), this.signal)
    this.signal.throwIfAborted()
  }

  /** Each of its processes ended while it ran. */
  async #giveUp(settledMs: number, attempts: number): Promise<void> {
    await this.#lease.change({ settledMs })
    this.#report(
      `was interrupted for ${inWords(settledMs)}, in the last of ${attempts} attempts, and runs next at ${this.#nextTime(settledMs)}.`,
      undefined,
    )
  }

  #nextTime(afterMs: number): string {
    return inWords(this.#job.schedule.next(Math.max(afterMs, this.#nowMs())))
  }

  #report(what: string, cause: unknown): void {
    this.#services.onError(new Error(`The scheduled job '${this.#job.name}' ${what}`, { cause }))
  }

  #nowMs(): number {
    return this.#services.clock().getTime()
  }
}

function inWords(timeMs: number): string {
  return new Date(timeMs).toISOString()
}
