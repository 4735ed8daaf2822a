import { setTimeout as wait } from 'node:timers/promises'
import type { PostgresConnection } from './connection.ts'

/** Read by all processes that use the database, whose notifications say that the log has grown. */
const channel = 'resourcery_changes'

interface ListenerOptions {
  connect(): Promise<PostgresConnection>
  /** For the statement that begins to listen. */
  readonly timeoutMs: number
  /** Another process may have added changes. Also called when a connection is made again. */
  onNotified(): void
}

/** A lost connection is made again after pauses that grow from one to the other. */
const pauseMs = { first: 500, last: 30_000 }

/**
 * Listens on a connection of its own. Behind a pooler it gives up: the connections to the server
 * are those of other clients too.
 */
export class NotificationListener {
  readonly #options: ListenerOptions
  readonly #closing = new AbortController()
  #connection: PostgresConnection | undefined
  #isListening = false
  #pauseMs = pauseMs.first

  constructor(options: ListenerOptions) {
    this.#options = options
    void this.#run()
  }

  get isListening(): boolean {
    return this.#isListening
  }

  async stop(): Promise<void> {
    this.#closing.abort()
    await this.#connection?.end()
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing
    while (!signal.aborted) {
      const canListen = await this.#listen().catch(() => true)
      this.#isListening = false
      this.#connection = undefined
      if (!canListen) return
      const pause = this.#pauseMs * (0.5 + Math.random())
      this.#pauseMs = Math.min(2 * this.#pauseMs, pauseMs.last)
      await wait(pause, undefined, { ref: false, signal }).catch(() => {})
    }
  }

  /** Listens until the connection is lost. @returns false behind a pooler */
  async #listen(): Promise<boolean> {
    const { connect, timeoutMs, onNotified } = this.#options
    const connection = await connect()
    this.#connection = connection
    if (this.#closing.signal.aborted || !connection.hasOwnSession) {
      await connection.end()
      return false
    }
    const lost = connection.onNotified(onNotified)
    try {
      await connection.run([{ sql: `listen ${channel}`, parameters: [] }], { timeoutMs })
    } catch (error) {
      connection.destroy()
      throw error
    }
    this.#isListening = true
    this.#pauseMs = pauseMs.first
    onNotified()
    await lost
    return true
  }
}

/** The least time between two notifications of a process. */
const notifyMs = 10

/**
 * Notifies the listeners of all processes. It does so after a commit, in a transaction of its own:
 * PostgreSQL commits transactions that notify one at a time.
 */
export class Notifier {
  readonly #notify: () => Promise<unknown>
  #timer: NodeJS.Timeout | undefined
  #isDue = false

  /** @param run runs a statement in a transaction of its own */
  constructor(run: (sql: string) => Promise<unknown>) {
    // It may be lost anyway, so its commit need not wait for the disk beside those of writes.
    this.#notify = () =>
      run(
        `select pg_notify('${channel}', ''), pg_catalog.set_config('synchronous_commit', 'off', true)`,
      )
  }

  /** Notifies now, or soon where it has just done so. */
  notify(): void {
    if (this.#timer !== undefined) {
      this.#isDue = true
      return
    }
    // Those who listen look from time to time, whatever is lost.
    this.#notify().catch(() => {})
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (!this.#isDue) return
      this.#isDue = false
      this.notify()
    }, notifyMs).unref()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#isDue = false
  }
}
