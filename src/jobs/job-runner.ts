import { reportOrEnd } from '../background/end-with-store.ts'
import { Lease, LeaseLost, leaseTimes } from '../background/lease.ts'
import { LeaseWatch } from '../background/lease-watch.ts'
import type { RunningWork } from '../background/running-work.ts'
import { pause } from '../concurrency/pause.ts'
import { type JobChoice, listJobChoices } from './job-choices.ts'
import { type JobRow, jobRows } from './job-rows.ts'
import type { JobServices } from './job-services.ts'
import { runJob } from './run-job.ts'

/** Carries out jobs in this process, those of other processes that have crashed too. */
export class JobRunner implements RunningWork {
  readonly #services: JobServices
  readonly #closing = new AbortController()
  readonly #watches = new Map<string, LeaseWatch>()
  /** The job of each promise. */
  readonly #running = new Map<string, Promise<void>>()
  /** When a job of each owner was begun last, so that owners take turns. */
  readonly #servedAt = new Map<string, number>()
  #looking: Promise<void> | undefined
  #isAsked = false
  readonly #timer: NodeJS.Timeout

  constructor(services: JobServices) {
    this.#services = services
    this.#timer = setInterval(() => this.wake(), leaseTimes.lookMs)
    this.#timer.unref()
  }

  /** There may be a job to carry out. */
  wake(): void {
    if (this.#closing.signal.aborted) return
    this.#isAsked = true
    this.#looking ??= this.#lookWhileAsked()
      .catch((error) => this.#report('The jobs cannot be read now.', error))
      .finally(() => {
        this.#looking = undefined
      })
  }

  /** Stops what runs, which another process goes on with. */
  async close(): Promise<void> {
    this.#end()
    await this.#looking
    await Promise.all(this.#running.values())
  }

  #end(): void {
    clearInterval(this.#timer)
    this.#closing.abort(new Error('Jobs stop, because the router closes.'))
  }

  async #lookWhileAsked(): Promise<void> {
    const { settings, store } = this.#services
    while (this.#isAsked && !this.#closing.signal.aborted) {
      this.#isAsked = false
      if (this.#running.size >= settings.atOnce) return
      const choices = await listJobChoices(store)
      for (const id of this.#watches.keys()) if (!choices.has(id)) this.#watches.delete(id)
      for (const [id, choice] of this.#free(choices)) {
        if (this.#running.size >= settings.atOnce || this.#closing.signal.aborted) return
        this.#servedAt.delete(choice.requestedBy)
        this.#servedAt.set(choice.requestedBy, performance.now())
        await this.#begin(id, choice)
      }
    }
  }

  /** Jobs that no process has, those of the owner first who was served the longest time ago. */
  #free(choices: ReadonlyMap<string, JobChoice>): readonly (readonly [string, JobChoice])[] {
    const order = ({ requestedBy }: JobChoice) => this.#servedAt.get(requestedBy) ?? 0
    return [...choices]
      .filter(
        ([id, choice]) =>
          !this.#running.has(id) && this.#watchOf(id).isFree(choice, leaseTimes.expireMs),
      )
      .toSorted(
        ([, one], [, other]) => order(one) - order(other) || one.createdAtMs - other.createdAtMs,
      )
  }

  #watchOf(id: string): LeaseWatch {
    const watch = this.#watches.get(id) ?? new LeaseWatch()
    this.#watches.set(id, watch)
    return watch
  }

  async #begin(id: string, seen: JobChoice): Promise<void> {
    const { store } = this.#services
    const settings = { store, rows: jobRows, name: id, times: leaseTimes, isFenced: true }
    const lease = await Lease.take(settings, seen)
    if (!lease) return
    const running = this.#run(lease, id).finally(() => {
      this.#running.delete(id)
      this.wake()
    })
    this.#running.set(id, running)
  }

  async #run(lease: Lease<JobRow>, id: string): Promise<void> {
    const closing = this.#closing.signal
    const attemptsBefore = lease.row.attempts
    try {
      await runJob(this.#services, lease, id, AbortSignal.any([closing, lease.signal]))
    } catch (error) {
      // A job that is removed, or that another process has, is no failure.
      if (closing.aborted) await this.#undoAttempt(lease, attemptsBefore)
      else if (!lease.signal.aborted && !(error instanceof LeaseLost)) {
        this.#report(`The job '${id}' cannot go on now.`, error)
        await pause(leaseTimes.lookMs, closing)
      }
    } finally {
      await lease
        .release()
        .catch((error) => this.#report(`The lease of the job '${id}' is not released.`, error))
    }
  }

  /** A process that shuts down gracefully is no crash. Those of before count, unless it got on. */
  async #undoAttempt(lease: Lease<JobRow>, before: number): Promise<void> {
    const attempts = Math.min(lease.row.attempts, before)
    await lease.change({ attempts }).catch(() => undefined)
  }

  #report(message: string, cause: unknown): void {
    const report = reportOrEnd(
      () => this.#services.onError(new Error(message, { cause })),
      () => this.#end(),
    )
    report(cause)
  }
}
