import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { TooManyBytes } from '../reader/chunk-size.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import type { PostgresResult, Row } from './statement.ts'
import { statementMessages, type Wire } from './wire.ts'

/**
 * Sends several statements at once, and collects their results: one round trip. Outside of a
 * transaction they are one of their own, so that either all have an effect or none.
 */
export class Pipeline {
  readonly #statements: readonly Statement[]
  readonly #prepared: PreparedStatements | undefined
  readonly #results: PostgresResult[] = []
  readonly #outcome = promiseWithResolvers<readonly PostgresResult[]>()
  /** Called once rows of a statement have too many bytes; the rest of them is left out. */
  onTooManyBytes: ((error: TooManyBytes) => void) | undefined
  /** Why nothing was sent. */
  unsentError: Error | undefined
  #rows: Row[] = []
  #byteCount = 0
  #tooManyBytes: TooManyBytes | undefined

  constructor(statements: readonly Statement[], prepared: PreparedStatements | undefined) {
    this.#statements = statements
    this.#prepared = prepared
  }

  /** Settles when the server is ready for the next statement, or has refused one of these. */
  get done(): Promise<readonly PostgresResult[]> {
    return this.#outcome.promise
  }

  /** How many statements the server has executed. */
  get executedCount(): number {
    return this.#results.length
  }

  /**
   * Sends the statements, once those before them have ended: these may have prepared statements, or
   * failed to.
   * @returns the TypeError of a parameter that has no form in SQL; `pg` passes it to `handleError`
   */
  submit({ stream }: Wire): Error | undefined {
    try {
      const messages = statementMessages(this.#statements, this.#prepared)
      if (stream.writable) stream.write(messages)
      return undefined
    } catch (error) {
      this.unsentError = error as Error
      return this.unsentError
    }
  }

  // `pg` calls these methods with the messages of the server.

  handleDataRow({ fields, length }: { readonly fields: Row; readonly length: number }): void {
    if (this.#tooManyBytes) return
    const { maxBytes } = this.#statements[this.#results.length]!
    this.#byteCount += length
    if (maxBytes === undefined || this.#byteCount <= maxBytes) this.#rows.push(fields)
    else this.#leaveRowsOut(maxBytes)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#results.push({ rows: this.#rows, ...readTag(text) })
    this.#rows = []
    this.#byteCount = 0
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleError(error: unknown): void {
    this.#prepared?.failed()
    this.#outcome.reject(error)
  }

  handleReadyForQuery(): void {
    if (this.#tooManyBytes) this.#outcome.reject(this.#tooManyBytes)
    else this.#outcome.resolve(this.#results)
  }

  #leaveRowsOut(maxBytes: number): void {
    this.#rows = []
    this.#tooManyBytes = new TooManyBytes(`The statement returned more than ${maxBytes} bytes.`)
    this.onTooManyBytes?.(this.#tooManyBytes)
  }
}

/** Reads `INSERT 0 1`, `UPDATE 2` or `CREATE TABLE`. */
function readTag(tag: string): { readonly command: string; readonly count: number } {
  const numbers = tag.search(/ \d/)
  if (numbers < 0) return { command: tag, count: 0 }
  return { command: tag.slice(0, numbers), count: Number(tag.slice(tag.lastIndexOf(' ') + 1)) }
}
