import { keepRunning } from './keep-running.ts'
import { Takeover } from './takeover.ts'
import type { OtherWorkers, Worker } from './worker.ts'

/** How long a restart may hang before another one takes its place. */
const maxHangingMs = 30_000

/** After so many starts in a row that failed, a primary without any worker gives up. */
const maxFailedStarts = 5

const startedAgain =
  'The store has changed, so the old workers are replaced although a new one has failed, which is started again.'

export interface PoolSettings {
  readonly count: number
  /** Starts a process. */
  start(others: OtherWorkers): Worker
  /** Gives a worker that is ready its first connections. */
  begin(worker: Worker): void
  /** How long one that replaces another may take to become ready, in milliseconds. */
  readonly startTimeoutMs: number
  /** How long a worker may take to end once it is asked to, in milliseconds. */
  readonly closeTimeoutMs: number
  /** Gets a sentence about each worker that ended by itself. */
  report(error: Error): void
  /** Called when no worker runs and none can be started. */
  giveUp(error: Error): void
}

/** Keeps a number of workers running. */
export class WorkerPool {
  readonly #settings: PoolSettings
  readonly #workers = new Set<Worker>()
  readonly #takeover = new Takeover()
  /** Workers of an earlier generation are not replaced: a restart has replaced them. */
  #generation = 0
  #isClosing = false
  #isRestarting = false
  #failedStarts = 0
  #restarting: Promise<void> = Promise.resolve()
  #nextRestart: Promise<void> | undefined

  constructor(settings: PoolSettings) {
    this.#settings = settings
  }

  /**
   * Starts the workers: first one alone, so that one process makes the tables of new models, and an
   * error is printed once.
   * @throws Error if one of them ends before it is ready
   */
  async open(onFirst: () => Promise<void>): Promise<void> {
    try {
      const opening = this.#startGeneration(onFirst)
      // A restart that is asked for meanwhile follows.
      this.#restarting = opening.catch(() => undefined)
      await opening
    } catch (error) {
      // No load balancer knows of them yet.
      await this.close(true)
      throw error
    }
  }

  /**
   * Replaces all workers: the new ones start and get connections, then the old ones finish their
   * requests. A call during a restart leads to one more, and ends it if it hangs.
   * @throws Error if a new worker ends before it is ready; the old ones go on then. Where another
   * new one has changed the store before, it is started again instead.
   */
  restart(): Promise<void> {
    this.#nextRestart ??= this.#afterRestart().then(() => {
      this.#nextRestart = undefined
      const restarting = this.#restartNow()
      this.#restarting = restarting.catch(() => undefined)
      return restarting
    })
    return this.#nextRestart
  }

  /** @param staysReady whether the workers skip the time in which `/readyz` is 503 */
  async close(staysReady: boolean): Promise<void> {
    this.#isClosing = true
    await this.#end([...this.#workers], staysReady)
  }

  /** Waits for the start or restart under way. A version that never becomes ready ends. */
  async #afterRestart(): Promise<void> {
    const timer = setInterval(() => {
      if (this.#generation > 0) this.#abandonHanging()
    }, 1_000).unref()
    await this.#restarting
    clearInterval(timer)
  }

  #abandonHanging(): void {
    for (const worker of this.#workers)
      if (!worker.isReady && performance.now() - worker.startedAtMs >= maxHangingMs)
        this.#abandon(worker, 'another restart is asked for')
  }

  #abandon(worker: Worker, reason: string): void {
    const seconds = Math.round((performance.now() - worker.startedAtMs) / 1_000)
    this.#settings.report(
      new Error(
        `The worker ${worker.pid} is not ready after ${seconds} s, and ${reason}: it is killed.`,
      ),
    )
    worker.kill()
  }

  async #restartNow(): Promise<void> {
    this.#isRestarting = true
    try {
      await this.#replaceAll()
    } finally {
      this.#isRestarting = false
    }
    this.#replaceOutdated()
  }

  /** Workers that still forward their requests know another version of the store. */
  #replaceOutdated(): void {
    if (this.#takeover.isUnderWay && !this.#isRestarting && !this.#isClosing)
      this.restart().catch((error: Error) => this.#settings.report(error))
  }

  async #replaceAll(): Promise<void> {
    this.#refuseWhenClosing()
    const newWorkers = new Set<Worker>()
    try {
      await this.#startGeneration(async () => undefined, newWorkers)
    } catch (cause) {
      this.#refuseWhenClosing()
      await this.#end([...newWorkers], true)
      this.#takeover.resume()
      const reason = (cause as Error).message
      throw new Error(`The workers are not restarted, and the old ones go on. ${reason}`, { cause })
    }
    const oldWorkers = [...this.#workers].filter((worker) => !newWorkers.has(worker))
    await this.#end(oldWorkers, true)
    this.#refuseWhenClosing()
  }

  #refuseWhenClosing(): void {
    if (this.#isClosing) throw new Error('The service closes, so its workers are not restarted.')
  }

  /**
   * Starts workers, which replace those before them once all are ready.
   * @param onFirst called before the first one gets connections
   * @param newWorkers gets those that are ready, also where others fail
   */
  async #startGeneration(
    onFirst: () => Promise<void>,
    newWorkers = new Set<Worker>(),
  ): Promise<void> {
    const first = await this.#start()
    newWorkers.add(first)
    await onFirst()
    await this.#begin(first)
    const outcomes = await Promise.allSettled(
      Array.from({ length: this.#settings.count - 1 }, async () => {
        newWorkers.add(await this.#startAndBegin())
      }),
    )
    const failures = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [outcome.reason as Error] : [],
    )
    // Without the new workers, the old ones could only respond that the store has changed.
    if (failures.length > 0 && !this.#takeover.hasNewWorker) throw failures[0]
    this.#generation++
    for (const worker of newWorkers) this.#keepRunning(worker, this.#generation)
    for (const { message } of failures) {
      this.#countFailedStart(new Error(`${startedAgain} ${message}`))
      this.#keepRunning(undefined, this.#generation)
    }
  }

  #keepRunning(worker: Worker | undefined, generation: number): void {
    void keepRunning(worker, {
      start: () => this.#replace(),
      isOver: () => this.#isClosing || generation !== this.#generation,
      report: this.#settings.report,
      onFailedStart: (error) => this.#countFailedStart(error),
    })
  }

  #countFailedStart(error: Error): void {
    this.#failedStarts++
    this.#settings.report(error)
    const isAlone = ![...this.#workers].some(({ isReady }) => isReady)
    if (isAlone && this.#failedStarts >= maxFailedStarts) this.#settings.giveUp(error)
  }

  async #end(workers: readonly Worker[], staysReady: boolean): Promise<void> {
    const { closeTimeoutMs } = this.#settings
    await Promise.all(workers.map((worker) => worker.close(staysReady, closeTimeoutMs)))
  }

  /** Starts a worker in place of one that has ended. The module may be another one since. */
  async #replace(): Promise<Worker> {
    try {
      const worker = await this.#startAndBegin()
      this.#replaceOutdated()
      return worker
    } catch (error) {
      if (!this.#isRestarting) this.#takeover.resume()
      throw error
    }
  }

  async #startAndBegin(): Promise<Worker> {
    const worker = await this.#start()
    await this.#begin(worker)
    return worker
  }

  /** Gives it connections, and what workers of the old version forward. */
  async #begin(worker: Worker): Promise<void> {
    this.#settings.begin(worker)
    await this.#takeover.addNewWorker(worker)
  }

  /** A worker that is ready. @throws Error if it ends before */
  async #start(): Promise<Worker> {
    const worker = this.#settings.start({
      pause: async () => {
        // One that is ready opens a further store, and replaces nobody.
        if (worker.isReady) return
        const others = [...this.#workers].filter((other) => other !== worker)
        await this.#takeover.pause(others, worker)
      },
      resume: () => {
        if (!worker.isReady) this.#takeover.resumeFor(worker)
      },
    })
    this.#workers.add(worker)
    void worker.ended.then(() => this.#workers.delete(worker))
    // The first start may have to migrate the store, and nothing else waits for it.
    const timer =
      this.#generation === 0 ? undefined : this.#limitStart(worker, this.#settings.startTimeoutMs)
    try {
      await worker.ready
    } finally {
      clearTimeout(timer)
    }
    this.#failedStarts = 0
    return worker
  }

  #limitStart(worker: Worker, timeoutMs: number): NodeJS.Timeout {
    const reason = "that is the limit 'workerStartTimeoutMs'"
    return setTimeout(() => this.#abandon(worker, reason), timeoutMs).unref()
  }
}
