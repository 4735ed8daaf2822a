import { memoizeBy } from '../../cache/memoize-by.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Dialect } from './dialect.ts'
import type { Statement } from './statement-cache.ts'
import type { JoinTable } from './table.ts'

/** The statements that write the rows of a join table. */
export interface JoinStatements {
  list(owner: string): Statement
  /** Adds the targets that the owner does not have yet. */
  add(owner: string, targets: readonly string[]): Statement
  remove(owner: string, target: string): Statement
}

/** Compiles the statements once for each join table. */
export const joinStatements: (joinTable: JoinTable, dialect: Dialect) => JoinStatements = memoizeBy(
  ({ sql }: JoinTable, dialect: Dialect): JoinStatements => {
    const { binder, listWithPositions, placeholder } = dialect
    const listSql = `select target from ${sql} where owner = ${placeholder(1)}`
    const insertSql = `insert into ${sql} (owner, target)`
    const addOneSql = `${insertSql} values (${placeholder(1)}, ${placeholder(2)}) on conflict do nothing`
    // The condition tells the parser of SQLite that `on conflict` belongs to the insert.
    const addSql = `${insertSql} select ${placeholder(1)}, l.id from (${listWithPositions(placeholder(2))}) l where true on conflict do nothing`
    const removeSql = `delete from ${sql} where owner = ${placeholder(1)} and target = ${placeholder(2)}`
    return {
      list: (owner) => ({ sql: listSql, parameters: [owner] }),
      add: (owner, targets) =>
        targets.length === 1
          ? { sql: addOneSql, parameters: [owner, targets[0]] }
          : { sql: addSql, parameters: [owner, binder.list(targets)] },
      remove: (owner, target) => ({ sql: removeSql, parameters: [owner, target] }),
    }
  },
)

/** The targets that the join table of a relation has to hold for the item. */
export function targetsOf(item: StoredItem, { field }: JoinTable): ReadonlySet<string> {
  return new Set(linkedIds(linkageOf(item), field))
}
