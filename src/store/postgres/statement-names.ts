/**
 * Do the connections of a pool name their prepared statements? A name is made of the statement, so
 * that behind a pooler such as PgBouncer, where several processes share the connections to the
 * server, it can only be that of the same statement. A statement that is missing there, or there
 * already, shows that there is a pooler; from then on statements have no names.
 */
export class StatementNames {
  #areUsed: boolean

  constructor(areUsed: boolean) {
    this.#areUsed = areUsed
  }

  get areUsed(): boolean {
    return this.#areUsed
  }

  /** Warns once in a process. */
  giveUp(): void {
    if (!this.#areUsed) return
    this.#areUsed = false
    if (hasWarned) return
    hasWarned = true
    process.emitWarning(
      "A pooler gives the connections to PostgreSQL to several clients. Statements are not prepared any more. Set 'preparedStatements: false' to say so from the beginning.",
      { code: 'RESOURCERY_POOLER' },
    )
  }
}

let hasWarned = false
