import { hash } from 'node:crypto'

/**
 * The statements that are prepared on a connection, by their SQL. The server keeps each of them
 * until it is closed or the connection ends, so that their number is limited: those that were not
 * used for the longest time are closed.
 */
export class PreparedStatements {
  readonly #maxCount: number
  /** In the order of their last use. */
  readonly #names = new Map<string, string>()
  /** The SQL of statements that were sent to be prepared, in their order; unnamed ones too. */
  #pending: (string | undefined)[] = []

  constructor(maxCount: number) {
    this.#maxCount = maxCount
  }

  /** May a pipeline of so many statements have names? One must not close the name of another. */
  canName(count: number): boolean {
    return count <= this.#maxCount
  }

  /** The name of a prepared statement, or a new one. */
  use(sql: string): { readonly name: string; readonly isNew: boolean } {
    const known = this.#names.get(sql)
    const name = known ?? nameOf(sql)
    this.#names.delete(sql)
    this.#names.set(sql, name)
    return { name, isNew: known === undefined }
  }

  /** Forgets the names that are too many. They have to be closed. */
  takeSurplus(): readonly string[] {
    const surplus: string[] = []
    for (const [sql, name] of this.#names) {
      if (this.#names.size <= this.#maxCount) break
      this.#names.delete(sql)
      surplus.push(name)
    }
    return surplus
  }

  /** A statement is sent to be prepared. */
  sent(sql: string | undefined): void {
    this.#pending.push(sql)
  }

  /** The server has prepared the next of them. */
  prepared(): void {
    this.#pending.shift()
  }

  /** The server prepares no more of what was sent. */
  failed(): void {
    for (const sql of this.#pending) if (sql !== undefined) this.#names.delete(sql)
    this.#pending = []
  }
}

/**
 * Equal for equal statements only, in every process: statements declare no types of parameters, so
 * that the SQL is all there is. 54 characters; PostgreSQL cuts off what is beyond 63.
 */
function nameOf(sql: string): string {
  return `resourcery_${hash('sha256', sql, 'base64url')}`
}
