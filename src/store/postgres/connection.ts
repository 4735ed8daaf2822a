import { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Client } from 'pg'
import { watchWaiter } from '../../concurrency/watch-waiter.ts'
import { statementsRun } from '../../telemetry/channels.ts'
import { observeRun } from '../../telemetry/observe-run.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { OutcomeUnknown, StoreTimeout, StoreUnavailable } from '../store-failures.ts'
import { type CancelTarget, requestCancel } from './cancel-request.ts'
import { Pipeline } from './pipeline.ts'
import {
  ConnectionLost,
  SharedStatements,
  toStoreError,
  UselessConnection,
} from './postgres-error.ts'
import { PreparedStatements } from './prepared-statements.ts'
import type { ServerTimeouts } from './server-timeouts.ts'
import type { PostgresResult } from './statement.ts'
import type { StatementNames } from './statement-names.ts'

/** How long a statement may run. */
export interface RunOptions {
  readonly call?: StoreCall | undefined
  readonly timeoutMs: number
  /**
   * Does the last of the statements commit, or the end of them? PostgreSQL reports a commit as done
   * whose wait for a standby was aborted. So nothing is aborted then, whoever leaves, and after the
   * timeout the connection is closed. Default: false.
   */
  readonly commits?: boolean
  /**
   * May a statement that returns too much be aborted? In a transaction this would end all of it.
   * Default: false.
   */
  readonly canAbort?: boolean
  /** Puts statements into what the server understands. Default: they stay as they are. */
  readonly rewrite?: RewriteStatements | undefined
}

export type RewriteStatements = (statements: readonly Statement[]) => readonly Statement[]

/** A notice of the server, as `pg` passes it on. */
interface ServerNotice {
  readonly routine?: string | undefined
  readonly message?: string | undefined
}

/** The server gets so long to abort a statement before its connection is closed. */
const cancelTimeoutMs = 800

/** How often the server looks, while it runs a statement, whether its client is still there. */
export const connectionCheckMs = 1_000

const maxPreparedStatements = 256

/** A connection, used by one call at a time. Errors are those of stores. */
export class PostgresConnection {
  /** What is set for the connection; undefined behind a pooler. */
  readonly timeouts: ServerTimeouts | undefined
  readonly #client: Client
  readonly #names: StatementNames
  readonly #prepared = new PreparedStatements(maxPreparedStatements)
  #isLost = false
  /** Has the server committed without waiting for the standby? */
  #isUnreplicated = false
  #hasUnconfirmedCommit = false
  #isUnresponsive = false
  /** Aborting a statement, which goes on after its caller has left. */
  #settling: Promise<void> | undefined

  /** @param client connected */
  constructor(client: Client, names: StatementNames, timeouts: ServerTimeouts | undefined) {
    this.timeouts = timeouts
    this.#client = client
    this.#names = names
    const { connection } = client
    connection.on('parseComplete', () => this.#prepared.prepared())
    client.on('notice', (notice: ServerNotice) => {
      if (isReplicationNotice(notice)) this.#isUnreplicated = true
    })
    const lost = () => {
      this.#isLost = true
    }
    client.on('error', lost)
    client.on('end', lost)
  }

  /** Does the server go on with a commit that nobody waits for any more? */
  get hasUnconfirmedCommit(): boolean {
    return this.#hasUnconfirmedCommit
  }

  /** Was it closed because the server did not respond? Then others may wait in vain too. */
  get isUnresponsive(): boolean {
    return this.#isUnresponsive
  }

  /** Do its settings hold for each of its statements? Not behind a pooler. */
  get hasOwnSession(): boolean {
    return this.timeouts !== undefined
  }

  get isUsable(): boolean {
    return !this.#isLost
  }

  /**
   * Keeps listening to notifications, also where nothing else keeps the process running.
   * @returns a promise that settles once the connection is lost
   */
  onNotified(listener: () => void): Promise<void> {
    this.#client.on('notification', listener)
    const { stream } = this.#client.connection
    if (stream instanceof Socket) stream.unref()
    return new Promise((resolve) => {
      if (this.#isLost) resolve()
      this.#client.on('error', () => resolve())
      this.#client.on('end', () => resolve())
    })
  }

  /** Runs statements in one round trip. */
  run(statements: readonly Statement[], options: RunOptions): Promise<readonly PostgresResult[]> {
    if (!statementsRun.hasSubscribers) return this.#run(statements, options)
    const texts = statements.map(({ sql }) => sql)
    return observeRun('postgresql', texts, () => this.#run(statements, options))
  }

  async #run(
    statements: readonly Statement[],
    options: RunOptions,
  ): Promise<readonly PostgresResult[]> {
    if (this.#settling) await this.#settling
    // Only now, because statements lose their names where a pooler is noticed meanwhile.
    const sent = options.rewrite ? options.rewrite(statements) : statements
    const pipeline = new Pipeline(sent, this.#names.areUsed ? this.#prepared : undefined)
    this.#submit(pipeline)
    return options.commits
      ? this.#committed(pipeline, options.timeoutMs)
      : this.#watched(pipeline, options)
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

  /**
   * Awaits the results of statements that commit.
   * @throws OutcomeUnknown if nobody knows whether they did
   */
  async #committed(pipeline: Pipeline, timeoutMs: number): Promise<readonly PostgresResult[]> {
    this.#isUnreplicated = false
    const stopWatching = watchWaiter(undefined, timeoutMs, {
      onTimeout: () => {
        this.#hasUnconfirmedCommit = true
        this.#giveUp()
      },
      onAbort: () => {},
    })
    let results: readonly PostgresResult[]
    try {
      results = await pipeline.done
    } catch (error) {
      const storeError = this.#failed(pipeline, error)
      if (!(storeError instanceof ConnectionLost) || storeError instanceof UselessConnection)
        throw storeError
      throw new OutcomeUnknown(`A commit was not confirmed: ${storeError.message}`, {
        cause: storeError,
      })
    } finally {
      stopWatching()
    }
    if (this.#isUnreplicated)
      throw new OutcomeUnknown('A transaction was committed, but not on the standby.')
    return results
  }

  /** Closes the connection if it is of no use after the error. */
  #failed(pipeline: Pipeline, error: unknown): Error {
    if (error === pipeline.unsentError) return pipeline.unsentError as Error
    const storeError = toStoreError(error, pipeline.executedCount)
    if (storeError instanceof SharedStatements) this.#names.giveUp()
    if (storeError instanceof ConnectionLost) this.destroy()
    return storeError
  }

  /** Awaits the results, unless they take too long or the caller leaves. */
  async #watched(pipeline: Pipeline, options: RunOptions): Promise<readonly PostgresResult[]> {
    const { call, timeoutMs } = options
    let interruption: Error | undefined
    const interrupt = (reason: Error): void => {
      if (interruption) return
      interruption = reason
      this.#settling = this.#abort(pipeline).finally(() => {
        this.#settling = undefined
      })
    }
    if (options.canAbort) pipeline.onTooManyBytes = interrupt
    const stopWatching = watchWaiter(call, timeoutMs, {
      onTimeout: () => interrupt(new StoreTimeout(timeoutMs)),
      onAbort: (reason) => interrupt(reason as Error),
    })
    try {
      return await pipeline.done
    } catch (error) {
      const storeError = this.#failed(pipeline, error)
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
    if (!(await isOverWithin(pipeline.done, cancelTimeoutMs))) {
      this.#giveUp()
      // Until it looks, the server goes on, so another connection would be one more than allowed.
      await wait(connectionCheckMs)
      return
    }
    await cancelled
    if (this.#isLost) return
    // A cancel request that the server gets late would abort the next statement. After a round trip
    // it has got it.
    const roundTrip = new Pipeline([], undefined)
    this.#submit(roundTrip)
    if (!(await isOverWithin(roundTrip.done, cancelTimeoutMs))) this.#giveUp()
  }

  #giveUp(): void {
    this.#isUnresponsive = true
    this.destroy()
  }
}

/** The name of the function in the server does not depend on its language. */
function isReplicationNotice({ routine, message = '' }: ServerNotice): boolean {
  return routine === 'SyncRepWaitForLSN' || message.includes('wait for synchronous replication')
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
