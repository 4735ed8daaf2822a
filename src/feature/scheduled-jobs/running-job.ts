import { Lease, type LeaseTimes, leaseTimes } from '../../background/lease.ts'
import { repeatUntilClosed } from '../../background/repeat-until-closed.ts'
import { type RunningWork, routerCloses } from '../../background/running-work.ts'
import { pause } from '../../concurrency/pause.ts'
import { errorText } from '../../error/error-text.ts'
import type { ScheduledJob } from './scheduled-job-options.ts'
import { type ScheduledJobRow, scheduledJobRows } from './scheduled-job-rows.ts'
import type { ScheduledJobServices } from './scheduled-job-services.ts'
import { ScheduledJobTurn } from './scheduled-job-turn.ts'

/** How often the clock is read: it may be set, and timers stand still while a host sleeps. */
const lookMs = 1_000

/** A scheduled job in this process, which waits for its next time. One process runs it then. */
export class RunningJob implements RunningWork {
  readonly #job: ScheduledJob
  readonly #services: ScheduledJobServices
  readonly #times: LeaseTimes
  readonly #closing = new AbortController()
  readonly #running: Promise<void>

  constructor(job: ScheduledJob, services: ScheduledJobServices, times: LeaseTimes = leaseTimes) {
    this.#job = job
    this.#services = services
    this.#times = times
    this.#running = this.#run()
  }

  async close(): Promise<void> {
    this.#closing.abort(routerCloses())
    await this.#running
  }

  #run(): Promise<void> {
    return repeatUntilClosed(
      this.#closing.signal,
      async () => {
        await this.#waitForTime()
        await this.#runWhereDue()
      },
      (cause) => {
        const message = `The scheduled job '${this.#job.name}' cannot go on now: ${errorText(cause)}`
        this.#services.onError(new Error(message, { cause }))
      },
    )
  }

  /** The store is read once, and again when it is time: another process may have run the job. */
  async #waitForTime(): Promise<void> {
    const { name, schedule } = this.#job
    const { settledMs } = await scheduledJobRows.get(this.#services.store, name)
    const nextMs = schedule.next(settledMs)
    for (;;) {
      const leftMs = nextMs - this.#nowMs()
      if (leftMs <= 0 || this.#closing.signal.aborted) return
      await pause(Math.min(leftMs, lookMs), this.#closing.signal)
    }
  }

  async #runWhereDue(): Promise<void> {
    const { store } = this.#services
    const { name, options } = this.#job
    const settings = {
      store,
      rows: scheduledJobRows,
      name,
      times: this.#times,
      isFenced: options.inTransaction,
      isWanted: (row: ScheduledJobRow) => this.#job.schedule.next(row.settledMs) <= this.#nowMs(),
    }
    const lease = await Lease.acquire(settings, this.#closing.signal)
    if (!lease) return
    const turn = new ScheduledJobTurn(this.#job, this.#services, lease, this.#closing.signal)
    try {
      while (settings.isWanted(lease.row)) await turn.run()
    } catch (error) {
      if (!turn.signal.aborted) throw error
    } finally {
      await lease.release(turn.unfinished)
    }
  }

  #nowMs(): number {
    return this.#services.clock().getTime()
  }
}
