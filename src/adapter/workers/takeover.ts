import type { Worker } from './worker.ts'

/**
 * Lets workers of the old version wait while a new one changes the store, so that none of their
 * requests meets a store that they do not know, and lets them forward what they get to new ones.
 */
export class Takeover {
  /** Those that have paused, until they end. One that goes on may know another store than it is. */
  readonly #oldWorkers = new Set<Worker>()

  /** Those that accept their requests. */
  readonly #newWorkers = new Set<Worker>()

  /** Those for which others pause, until they are ready. */
  readonly #changing = new Set<Worker>()

  /** Do workers of the old version run? */
  get isUnderWay(): boolean {
    return this.#oldWorkers.size > 0
  }

  /** Is a new worker there, so that the store has changed for good? */
  get hasNewWorker(): boolean {
    return [...this.#newWorkers].some(({ isClosing }) => !isClosing)
  }

  /**
   * Resolves when the workers have paused, or take too long.
   * @param by the one that changes the store then
   */
  async pause(workers: readonly Worker[], by: Worker): Promise<void> {
    this.#changing.add(by)
    void by.ended.then(() => this.#changing.delete(by))
    const ready = workers.filter(({ isReady, isClosing }) => isReady && !isClosing)
    for (const worker of ready) {
      if (this.#oldWorkers.has(worker)) continue
      this.#oldWorkers.add(worker)
      void worker.ended.then(() => this.#forget(worker))
    }
    await Promise.all(ready.map((worker) => worker.pause()))
  }

  /** Lets workers that have paused forward requests to one that is ready. */
  async addNewWorker(worker: Worker): Promise<void> {
    this.#changing.delete(worker)
    if (!this.isUnderWay) return
    const port = await worker.acceptForwarded()
    if (port === undefined) return
    this.#newWorkers.add(worker)
    void worker.ended.then(() => {
      this.#newWorkers.delete(worker)
      for (const oldWorker of this.#oldWorkers) oldWorker.stopForwardingTo(port)
    })
    for (const oldWorker of this.#oldWorkers) oldWorker.forwardTo(port)
  }

  /** Lets the workers go on where the change has to wait, unless another one changes the store. */
  resumeFor(worker: Worker): void {
    this.#changing.delete(worker)
    if (this.#changing.size === 0) this.resume()
  }

  /** Lets the workers go on where the start of new ones has failed, and none is left. */
  resume(): void {
    if (this.hasNewWorker) return
    for (const worker of this.#oldWorkers) worker.resume()
  }

  #forget(oldWorker: Worker): void {
    this.#oldWorkers.delete(oldWorker)
    if (this.isUnderWay) return
    for (const newWorker of this.#newWorkers) newWorker.refuseForwarded()
    this.#newWorkers.clear()
  }
}
