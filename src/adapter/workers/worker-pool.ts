import { countQuickEnds, restartDelayMs } from './restart-delay.ts'
import type { Worker } from './worker.ts'

/** After so many starts in a row that failed, a primary without any worker gives up. */
const maxFailedStarts = 5

export interface PoolSettings {
  readonly count: number
  /** Starts a process. */
  start(): Worker
  /** Gives a worker that is ready its first connections. */
  begin(worker: Worker): void
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
  /** Workers of an earlier generation are not replaced: a restart has replaced them. */
  #generation = 0
  #isClosing = false
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
      await this.#startAll(onFirst)
    } catch (error) {
      await this.close(true)
      throw error
    }
  }

  /**
   * Replaces all workers: the new ones start and get connections, then the old ones finish their
   * requests. A call during a restart leads to one more.
   * @throws Error if a new worker ends before it is ready; the old ones go on then
   */
  restart(): Promise<void> {
    this.#nextRestart ??= this.#restarting.then(() => {
      this.#nextRestart = undefined
      const restarting = this.#restartNow()
      this.#restarting = restarting.catch(() => undefined)
      return restarting
    })
    return this.#nextRestart
  }

  /** @param isReplaced whether the service goes on, so that it stays ready */
  async close(isReplaced: boolean): Promise<void> {
    this.#isClosing = true
    await this.#end([...this.#workers], isReplaced)
  }

  async #restartNow(): Promise<void> {
    if (this.#isClosing) throw new Error('The service closes, so its workers are not restarted.')
    const fresh = new Set<Worker>()
    try {
      await this.#startAll(async () => undefined, fresh)
    } catch (cause) {
      await this.#end([...fresh], true)
      const reason = (cause as Error).message
      throw new Error(`The workers are not restarted, and the old ones go on. ${reason}`, { cause })
    }
    await this.#end(
      [...this.#workers].filter((worker) => !fresh.has(worker)),
      true,
    )
  }

  /**
   * Starts a generation of workers, which replaces those before it once all are ready.
   * @param onFirst called before the first one gets connections
   * @param fresh gets those that are ready, also where others fail
   */
  async #startAll(onFirst: () => Promise<void>, fresh = new Set<Worker>()): Promise<void> {
    const first = await this.#started()
    fresh.add(first)
    await onFirst()
    this.#settings.begin(first)
    const outcomes = await Promise.allSettled(
      Array.from({ length: this.#settings.count - 1 }, async () => {
        const worker = await this.#started()
        fresh.add(worker)
        this.#settings.begin(worker)
      }),
    )
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
    this.#generation++
    for (const worker of fresh) void this.#keep(worker, this.#generation)
  }

  async #end(workers: readonly Worker[], isReplaced: boolean): Promise<void> {
    const { closeTimeoutMs } = this.#settings
    await Promise.all(workers.map((worker) => worker.close(isReplaced, closeTimeoutMs)))
  }

  /** A worker that is ready. @throws Error if it ends before */
  async #started(): Promise<Worker> {
    const worker = this.#settings.start()
    this.#workers.add(worker)
    void worker.ended.then(() => this.#workers.delete(worker))
    await worker.ready
    this.#failedStarts = 0
    return worker
  }

  /** Replaces a worker, and those that replace it, whenever one ends by itself. */
  async #keep(first: Worker, generation: number): Promise<void> {
    let worker: Worker | undefined = first
    let { startedAtMs } = first
    for (let quickEnds = 0; ; ) {
      const how = await worker?.ended
      if (worker?.isClosing || this.#isOver(generation)) return
      if (worker) this.#settings.report(new Error(`The worker ${worker.pid} ended with ${how}.`))
      quickEnds = countQuickEnds(quickEnds, performance.now() - startedAtMs)
      await wait(restartDelayMs(quickEnds))
      if (this.#isOver(generation)) return
      startedAtMs = performance.now()
      worker = await this.#replacement(generation)
    }
  }

  #isOver(generation: number): boolean {
    return this.#isClosing || generation !== this.#generation
  }

  /** Undefined if it ended before it was ready. */
  async #replacement(generation: number): Promise<Worker | undefined> {
    try {
      const worker = await this.#started()
      this.#settings.begin(worker)
      return worker
    } catch (error) {
      if (this.#isOver(generation)) return undefined
      this.#failedStarts++
      this.#settings.report(error as Error)
      const isAlone = ![...this.#workers].some(({ isReady }) => isReady)
      if (isAlone && this.#failedStarts >= maxFailedStarts) this.#settings.giveUp(error as Error)
      return undefined
    }
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref())
}
