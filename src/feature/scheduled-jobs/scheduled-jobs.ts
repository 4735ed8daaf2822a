import { closeRunningOver, runningOver } from '../../background/running-work.ts'
import { lazyPromise } from '../../cache/lazy-promise.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { Store } from '../../store/store.ts'
import type { Feature } from '../feature.ts'
import { RunningJob } from './running-job.ts'
import {
  createScheduledJob,
  type RunScheduledJob,
  type ScheduledJob,
  type ScheduledJobOptions,
} from './scheduled-job-options.ts'
import { newScheduledJob, scheduledJobRows } from './scheduled-job-rows.ts'
import type { ScheduledJobServices } from './scheduled-job-services.ts'

/** The scheduled jobs of a router: what is registered, and what waits in this process. */
export class ScheduledJobs implements Feature {
  readonly #jobs: ScheduledJob[] = []
  readonly #store: Store
  #startOnce: (() => Promise<void>) | undefined

  constructor(store: Store) {
    this.#store = store
  }

  /** @throws RegistrationError */
  add(name: string, options: ScheduledJobOptions, run: RunScheduledJob): void {
    const job = createScheduledJob(name, options, run)
    if (this.find(name))
      throw new RegistrationError(`Two jobs of the router have the name '${name}'.`)
    this.#jobs.push(job)
  }

  get all(): readonly ScheduledJob[] {
    return this.#jobs
  }

  find(name: string): ScheduledJob | undefined {
    return this.#jobs.find((job) => job.name === name)
  }

  storedModels(): readonly ModelDescription[] {
    return this.#jobs.length > 0 ? [scheduledJobRows.model] : []
  }

  /** Stores from when on new ones have times, and has this process wait for them. Once only. */
  async start(services: ScheduledJobServices): Promise<void> {
    if (this.#jobs.length === 0) return
    this.#startOnce ??= lazyPromise(() => this.#start(services))
    await this.#startOnce()
  }

  async #start(services: ScheduledJobServices): Promise<void> {
    await this.record(services)
    const running = runningOver(services.store)
    for (const job of this.#jobs) running.add(new RunningJob(job, services))
  }

  /** Stores from when on new ones have times. */
  async record({ store, clock }: Pick<ScheduledJobServices, 'store' | 'clock'>): Promise<void> {
    for (const { name } of this.#jobs) {
      if (await scheduledJobRows.find(store, name)) continue
      const row = newScheduledJob(clock().getTime())
      await store.write((transaction) => scheduledJobRows.insert(transaction, name, row))
    }
  }

  /** Waits for the functions that run, of all routers over the store. */
  async close(): Promise<void> {
    await closeRunningOver(this.#store)
    this.#startOnce = undefined
  }
}
