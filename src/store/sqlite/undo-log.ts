/**
 * Undoes one transaction of a group: by steps, or by a savepoint where these are unknown or too
 * many. A savepoint costs as much as the writes, because SQLite copies each page before it changes.
 */
export class UndoLog {
  readonly #execute: (sql: string) => void
  readonly #steps: (() => void)[] = []
  #hasSavepoint = false

  constructor(execute: (sql: string) => void) {
    this.#execute = execute
  }

  /** Call this before each change. After many changes a savepoint takes less memory. */
  beforeChange(): void {
    if (!this.#hasSavepoint && this.#steps.length >= maxUndoSteps) this.setSavepoint()
  }

  /** From now on the savepoint undoes changes, so no steps are kept. */
  setSavepoint(): void {
    this.#execute('savepoint work')
    this.#hasSavepoint = true
  }

  /** Reads what a change will overwrite; undefined where a savepoint keeps it. */
  beforeOverwrite<T>(read: () => T): T | undefined {
    this.beforeChange()
    return this.#hasSavepoint ? undefined : read()
  }

  /** Adds how to undo a change that has just been made. */
  add(step: () => void): void {
    if (!this.#hasSavepoint) this.#steps.push(step)
  }

  keep(): void {
    if (this.#hasSavepoint) this.#execute('release work')
  }

  undo(): void {
    if (this.#hasSavepoint) {
      this.#execute('rollback to work')
      this.#execute('release work')
    }
    for (const step of this.#steps.reverse()) step()
  }
}

/** Each step may hold an item. */
export const maxUndoSteps = 16
