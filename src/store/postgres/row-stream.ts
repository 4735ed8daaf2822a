import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import type { WireTask } from './pipeline.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import type { Row, Statement } from './statement.ts'
import { bindStatement, corked, sendStatements, type Wire } from './wire.ts'

/**
 * Reads the rows of a statement in batches: the server sends the next batch when it is requested,
 * and holds a cursor (a suspended portal) until then.
 */
export class RowStream implements WireTask {
  readonly #statements: readonly ReturnType<typeof bindStatement>[]
  readonly #batchRows: number
  readonly #prepared: PreparedStatements | undefined
  readonly #end = promiseWithResolvers<void>()
  #batch = promiseWithResolvers<readonly Row[]>()
  #rows: Row[] = []
  #wire: Wire | undefined
  #completedCount = 0
  #isSynced = false

  /** @param before statements that run first in the same transaction, and whose rows are ignored */
  constructor(
    statement: Statement,
    batchRows: number,
    before: readonly Statement[],
    prepared: PreparedStatements | undefined,
  ) {
    this.#statements = [...before, statement].map(bindStatement)
    this.#batchRows = batchRows
    this.#prepared = prepared
    // Only the current batch is awaited.
    this.#end.promise.catch(() => {})
    this.#batch.promise.catch(() => {})
  }

  get done(): Promise<void> {
    return this.#end.promise
  }

  /** The rows of the current batch; empty after the last row. */
  get batch(): Promise<readonly Row[]> {
    return this.#batch.promise
  }

  /** Requests the next batch. Call it when the current one has arrived and was not the last. */
  requestBatch(): void {
    this.#batch = promiseWithResolvers<readonly Row[]>()
    this.#batch.promise.catch(() => {})
    if (this.#isSynced) {
      this.#batch.resolve([])
      return
    }
    const wire = this.#wire!
    corked(wire, () => {
      wire.execute({ rows: this.#batchRows })
      wire.flush()
    })
  }

  /** Closes the cursor and ends its transaction. */
  close(): void {
    if (this.#isSynced) return
    this.#isSynced = true
    this.#wire?.sync()
  }

  submit(wire: Wire): void {
    this.#wire = wire
    corked(wire, () => {
      sendStatements(wire, this.#statements, this.#prepared, this.#batchRows)
      wire.flush()
    })
  }

  // `pg` calls these methods with the messages of the server.

  handleDataRow({ fields }: { readonly fields: Row }): void {
    if (this.#completedCount === this.#statements.length - 1) this.#rows.push(fields)
  }

  handlePortalSuspended(): void {
    this.#batch.resolve(this.#rows)
    this.#rows = []
  }

  handleCommandComplete(): void {
    this.#completedCount++
    if (this.#completedCount < this.#statements.length) return
    this.close()
    this.handlePortalSuspended()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleError(error: unknown): void {
    this.#prepared?.failed()
    // The server skips everything up to the next Sync.
    this.close()
    this.#batch.reject(error)
    this.#end.reject(error)
  }

  handleReadyForQuery(): void {
    this.#end.resolve()
  }
}
