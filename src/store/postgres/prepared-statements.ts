import { hash } from 'node:crypto'

interface PreparedStatement {
  readonly name: string
  /** The number of its last use among those of all statements. */
  lastUse: number
}

/**
 * The statements that are prepared on a connection, by their SQL. The server keeps each of them
 * until it is closed or the connection ends, so that their number is limited: those that were not
 * used for the longest time are closed.
 */
export class PreparedStatements {
  readonly #maxCount: number
  readonly #statements = new Map<string, PreparedStatement>()
  #useCount = 0
  /** The SQL of statements that were sent to be prepared, in their order; unnamed ones too. */
  #pending: (string | undefined)[] = []

  constructor(maxCount: number) {
    this.#maxCount = maxCount
  }

  /** May a pipeline of so many statements have names? One must not close the name of another. */
  canName(count: number): boolean {
    return count <= this.#maxCount
  }

  /** The name of a prepared statement; undefined if it is not prepared yet. */
  use(sql: string): string | undefined {
    const statement = this.#statements.get(sql)
    if (!statement) return undefined
    statement.lastUse = ++this.#useCount
    return statement.name
  }

  /** Names a statement that is to be prepared. */
  add(sql: string): string {
    const name = nameOf(sql)
    this.#statements.set(sql, { name, lastUse: ++this.#useCount })
    return name
  }

  /** Forgets the names that are too many, if any. They have to be closed. */
  takeSurplus(): readonly string[] | undefined {
    const surplusCount = this.#statements.size - this.#maxCount
    if (surplusCount <= 0) return undefined
    const surplus = [...this.#statements]
      .toSorted(([, one], [, other]) => one.lastUse - other.lastUse)
      .slice(0, surplusCount)
    for (const [sql] of surplus) this.#statements.delete(sql)
    return surplus.map(([, { name }]) => name)
  }

  /** A statement is sent to be prepared. */
  sent(sql: string | undefined): void {
    this.#pending.push(sql)
  }

  /** The server has prepared the next of them. */
  prepared(): void {
    this.#pending.shift()
  }

  /** No more of them is prepared. */
  failed(): void {
    for (const sql of this.#pending) if (sql !== undefined) this.#statements.delete(sql)
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
