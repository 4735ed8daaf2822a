/** Says when the log of changes of a store may have grown. */
export interface ChangeSignal {
  /** A transaction of this process has added changes, and is committed. */
  committed(): void
  /** As `ChangeLog.watch`. */
  watch(listener: () => void): () => void
  /** Calls no listener any more. */
  close(): Promise<void>
}

/**
 * Begins to call back after commits that this process does not know of.
 * @returns stops it
 */
type BeginToLook = (onCommit: () => void) => () => Promise<void> | undefined

/** The listeners of a log. It looks for commits of other processes only while there are some. */
export class ChangeListeners implements ChangeSignal {
  readonly #begin: BeginToLook
  readonly #listeners = new Map<symbol, () => void>()
  #stop: ReturnType<BeginToLook> | undefined
  #isClosed = false

  constructor(begin: BeginToLook = () => () => undefined) {
    this.#begin = begin
  }

  committed(): void {
    for (const listener of this.#listeners.values()) listener()
  }

  watch(listener: () => void): () => void {
    if (this.#isClosed) return () => {}
    // The same function may listen twice.
    const key = Symbol('listener')
    this.#listeners.set(key, listener)
    this.#stop ??= this.#begin(() => this.committed())
    return () => {
      this.#listeners.delete(key)
      if (this.#listeners.size === 0) void this.#end()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    await this.#end()
  }

  async #end(): Promise<void> {
    const stop = this.#stop
    this.#stop = undefined
    await stop?.()
  }
}
