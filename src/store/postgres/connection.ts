import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { watchWaiter } from '../../concurrency/watch-waiter.ts'
import type { Caller } from '../caller.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { StoreTimeout, StoreUnavailable } from '../store-failures.ts'
import { type CancelTarget, requestCancel } from './cancel-request.ts'
import { Pipeline } from './pipeline.ts'
import { ConnectionLost, toStoreError } from './postgres-error.ts'
import { PreparedStatements } from './prepared-statements.ts'
import type { PostgresResult } from './statement.ts'

/** How long a statement may run. */
export interface RunOptions {
  readonly caller?: Caller | undefined
  readonly timeoutMs: number
}

/** The server gets so long to abort a statement before its connection is closed. */
const cancelTimeoutMs = 800

const maxPreparedStatements = 256

/** A connection, used by one call at a time. Errors are those of stores. */
export class PostgresConnection {
  readonly #client: Client
  readonly #prepared: PreparedStatements | undefined
  #isLost = false
  /** Aborting a statement, which goes on after its caller has left. */
  #settling: Promise<void> | undefined

  /** @param client connected */
  constructor(client: Client, preparedStatements: boolean) {
    this.#client = client
    this.#prepared = preparedStatements ? new PreparedStatements(maxPreparedStatements) : undefined
    const { connection } = client
    connection.on('parseComplete', () => this.#prepared?.prepared())
    const lost = () => {
      this.#isLost = true
    }
    client.on('error', lost)
    client.on('end', lost)
  }

  get isUsable(): boolean {
    return !this.#isLost
  }

  /** Runs statements in one round trip. */
  async run(
    statements: readonly Statement[],
    options: RunOptions,
  ): Promise<readonly PostgresResult[]> {
    const pipeline = new Pipeline(statements, this.#prepared)
    if (this.#settling) await this.#settling
    this.#submit(pipeline)
    return this.#watched(pipeline, options)
  }

  /** Set while an aborted statement could still disturb the next one. */
  get settling(): Promise<void> | undefined {
    return this.#settling
  }

  /** Closes the connection as the protocol says, or at once if the server does not respond. */
  async end(): Promise<void> {
    if (this.#isLost) return this.destroy()
    const ended = this.#client.end()
    await Promise.race([ended, wait(cancelTimeoutMs, undefined, { ref: false })])
    this.destroy()
  }

  destroy(): void {
    this.#isLost = true
    this.#client.connection.stream.destroy()
  }

  #submit(pipeline: Pipeline): void {
    // `pg` declares its own class of connections where it passes one with more methods.
    this.#client.query(pipeline as unknown as Parameters<Client['query']>[0] & { submit(): void })
  }

  /** Awaits the results, unless they take too long or the caller leaves. */
  async #watched(pipeline: Pipeline, options: RunOptions): Promise<readonly PostgresResult[]> {
    const { caller, timeoutMs } = options
    let interruption: Error | undefined
    const interrupt = (reason: Error): void => {
      if (interruption) return
      interruption = reason
      this.#settling = this.#abort(pipeline).finally(() => {
        this.#settling = undefined
      })
    }
    const stopWatching = watchWaiter(caller, timeoutMs, {
      onTimeout: () => interrupt(new StoreTimeout(timeoutMs)),
      onAbort: (reason) => interrupt(reason as Error),
    })
    try {
      return await pipeline.done
    } catch (error) {
      const storeError = toStoreError(error)
      if (storeError instanceof ConnectionLost) this.destroy()
      if (!interruption) throw storeError
      const hasResponded = !(storeError instanceof ConnectionLost)
      if (hasResponded || !(interruption instanceof StoreTimeout)) throw interruption
      throw new StoreUnavailable(`PostgreSQL did not respond for ${timeoutMs} ms.`)
    } finally {
      stopWatching()
    }
  }

  async #abort(pipeline: Pipeline): Promise<void> {
    const target = this.#client as unknown as CancelTarget
    const cancelled = requestCancel(target, cancelTimeoutMs)
    if (!(await isOverWithin(pipeline.done, cancelTimeoutMs))) return this.destroy()
    await cancelled
    if (this.#isLost) return
    // A cancel request that the server gets late would abort the next statement. After a round trip
    // it has got it.
    const roundTrip = new Pipeline([], undefined)
    this.#submit(roundTrip)
    if (!(await isOverWithin(roundTrip.done, cancelTimeoutMs))) this.destroy()
  }
}

async function isOverWithin(done: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  const over = done.then(
    () => true,
    () => true,
  )
  const timer = new AbortController()
  const tooLate = wait(timeoutMs, false, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([over, tooLate])
  } finally {
    timer.abort()
  }
}
