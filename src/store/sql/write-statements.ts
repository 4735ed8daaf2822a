import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Dialect } from './dialect.ts'
import type { Statement } from './statement-cache.ts'
import type { DocumentTable, JoinTable, WrittenColumn } from './table.ts'

export function insertItem(dialect: Dialect, table: DocumentTable, item: StoredItem): Statement {
  const placeholders = [1, 2, 3, 4, 5, 6].map(dialect.placeholder)
  const columns = table.writtenColumns.map(({ sql }) => `, ${sql}`)
  const values = table.writtenColumns.map((column) => `, ${writtenValue(dialect, column)}`)
  return {
    sql: `insert into ${table.sql} (text, split, hidden, hash, revision, id${columns.join('')}) values (${placeholders.join(', ')}${values.join('')})`,
    parameters: columnValuesOf(item),
  }
}

/**
 * The row before `replaceItem`: the columns of `findRow`, then whether each of the written columns
 * already has its value in the item.
 */
export function findRowToReplace(
  { placeholder }: Dialect,
  table: DocumentTable,
  item: StoredItem,
): Statement {
  const sources = [...new Set(table.writtenColumns.map(({ source }) => source))]
  const comparisons = table.writtenColumns.map(
    ({ sql, source, valueIn }) =>
      `, ${sql} is not distinct from ${valueIn(placeholder(sources.indexOf(source) + 2))}`,
  )
  return {
    sql: `select text, split, hidden, hash, revision${comparisons.join('')} from ${table.sql} where id = ${placeholder(1)}`,
    parameters: [
      item.id,
      ...sources.map((source) => (source === 'text' ? item.text : item.hiddenText)),
    ],
  }
}

/**
 * Leaves columns out that keep their values: an engine writes the entry of each index that has a
 * column of the statement, and so would write all of them.
 */
export function replaceItem(
  dialect: Dialect,
  table: DocumentTable,
  item: StoredItem,
  changed: readonly WrittenColumn[],
): Statement {
  const { placeholder } = dialect
  const assignments = [
    ...['text', 'split', 'hidden', 'hash', 'revision'].map(
      (column, index) => `${column} = ${placeholder(index + 1)}`,
    ),
    ...changed.map((column) => `${column.sql} = ${writtenValue(dialect, column)}`),
  ]
  return {
    sql: `update ${table.sql} set ${assignments.join(', ')} where id = ${placeholder(6)}`,
    parameters: columnValuesOf(item),
  }
}

/** The value of a column in the documents that `columnValuesOf` binds. */
function writtenValue({ placeholder }: Dialect, { source, valueIn }: WrittenColumn): string {
  return valueIn(placeholder(source === 'text' ? 1 : 3))
}

/** Removes the item and what its to-many relations hold. */
export function removeItem(
  { placeholder }: Dialect,
  table: DocumentTable,
  id: string,
): readonly Statement[] {
  return [
    { sql: `delete from ${table.sql} where id = ${placeholder(1)}`, parameters: [id] },
    ...Array.from(table.joinTables.values(), ({ sql }) => ({
      sql: `delete from ${sql} where owner = ${placeholder(1)}`,
      parameters: [id],
    })),
  ]
}

/** All columns of the item that are written, without the id. */
export function findRow({ placeholder }: Dialect, table: DocumentTable, id: string): Statement {
  return {
    sql: `select text, split, hidden, hash, revision from ${table.sql} where id = ${placeholder(1)}`,
    parameters: [id],
  }
}

/** Returns a row if the id is taken. */
export function findId({ placeholder }: Dialect, table: DocumentTable, id: string): Statement {
  return { sql: `select 1 from ${table.sql} where id = ${placeholder(1)}`, parameters: [id] }
}

/** The targets that the join table of a relation has to hold for the item. */
export function targetsOf(item: StoredItem, { field }: JoinTable): ReadonlySet<string> {
  return new Set(linkedIds(linkageOf(item), field))
}

export function listTargets(
  { placeholder }: Dialect,
  joinTable: JoinTable,
  owner: string,
): Statement {
  return {
    sql: `select target from ${joinTable.sql} where owner = ${placeholder(1)}`,
    parameters: [owner],
  }
}

/** Does nothing where the join table has the target already. */
export function addTarget(
  { placeholder }: Dialect,
  joinTable: JoinTable,
  owner: string,
  target: string,
): Statement {
  return {
    sql: `insert into ${joinTable.sql} (owner, target) values (${placeholder(1)}, ${placeholder(2)}) on conflict do nothing`,
    parameters: [owner, target],
  }
}

export function removeTarget(
  { placeholder }: Dialect,
  joinTable: JoinTable,
  owner: string,
  target: string,
): Statement {
  return {
    sql: `delete from ${joinTable.sql} where owner = ${placeholder(1)} and target = ${placeholder(2)}`,
    parameters: [owner, target],
  }
}

function columnValuesOf(item: StoredItem): readonly unknown[] {
  return [item.text, item.relationsOffset, item.hiddenText, item.hash, item.revision, item.id]
}
