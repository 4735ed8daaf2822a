import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { PreparedStatements } from './prepared-statements.ts'
import type { PostgresResult, Row } from './statement.ts'
import { bindStatement, sendStatements, type Wire } from './wire.ts'

/**
 * Sends several statements at once, and collects their results: one round trip. Outside of a
 * transaction they are one of their own, so that either all have an effect or none.
 */
export class Pipeline {
  readonly #statements: readonly ReturnType<typeof bindStatement>[]
  readonly #prepared: PreparedStatements | undefined
  readonly #results: PostgresResult[] = []
  readonly #outcome = promiseWithResolvers<readonly PostgresResult[]>()
  #rows: Row[] = []

  constructor(statements: readonly Statement[], prepared: PreparedStatements | undefined) {
    this.#statements = statements.map(bindStatement)
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

  submit(wire: Wire): void {
    // As one packet.
    wire.stream.cork()
    try {
      sendStatements(wire, this.#statements, this.#prepared)
      wire.sync()
    } finally {
      wire.stream.uncork()
    }
  }

  // `pg` calls these methods with the messages of the server.

  handleDataRow({ fields }: { readonly fields: Row }): void {
    this.#rows.push(fields)
  }

  handleCommandComplete({ text }: { readonly text: string }): void {
    this.#results.push({ rows: this.#rows, ...readTag(text) })
    this.#rows = []
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete({ text: '' })
  }

  handleError(error: unknown): void {
    this.#prepared?.failed()
    this.#outcome.reject(error)
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve(this.#results)
  }
}

/** Reads `INSERT 0 1`, `UPDATE 2` or `CREATE TABLE`. */
function readTag(tag: string): { readonly command: string; readonly count: number } {
  const [, command = '', count = '0'] = /^(.*?)(?: \d+)*?(?: (\d+))?$/.exec(tag) ?? []
  return { command, count: Number(count) }
}
