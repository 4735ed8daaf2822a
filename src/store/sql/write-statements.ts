import { memoizeBy } from '../../cache/memoize-by.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Dialect } from './dialect.ts'
import type { Row } from './rows.ts'
import type { Statement } from './statement-cache.ts'
import type { DocumentTable, WrittenColumn } from './table.ts'

/** The statements that write the items of a table. */
export interface WriteStatements {
  insert(item: StoredItem): Statement
  /**
   * The row before `replace`: the columns of `findRow`, then whether each of the indexed columns
   * already has its value in the item.
   */
  findRowToReplace(item: StoredItem): Statement
  /**
   * Leaves indexed columns out that keep their values: an engine writes the entry of each index
   * that has a column of the statement.
   * @param before the row of `findRowToReplace`
   */
  replace(item: StoredItem, before: Row): Statement
  /** Removes the item and what its to-many relations hold. */
  remove(id: string): readonly Statement[]
  /** All columns of the item that are written, without the id. */
  findRow(id: string): Statement
  /** Returns a row if the id is taken. */
  findId(id: string): Statement
}

/** Compiles the statements once for each table. */
export const writeStatements: (table: DocumentTable, dialect: Dialect) => WriteStatements =
  memoizeBy((table: DocumentTable, dialect: Dialect): WriteStatements => {
    const { placeholder } = dialect
    const { sql, joinTables, writtenColumns } = table
    const whereId = ` where id = ${placeholder(1)}`
    const insertSql = insertSqlOf(dialect, table)
    const { sql: findToReplaceSql, sources } = findToReplaceSqlOf(dialect, table)
    const documentAssignments = documentColumns.map(
      (column, index) => `${column} = ${placeholder(index + 1)}`,
    )
    const assignmentOf = (column: WrittenColumn) =>
      `, ${column.sql} = ${writtenValue(dialect, column)}`
    const [indexed, others] = partition(writtenColumns)
    const indexedAssignments = indexed.map(assignmentOf)
    const replaceSql = `update ${sql} set ${documentAssignments.join(', ')}${others.map(assignmentOf).join('')}`
    const removeSql = [
      `delete from ${sql}${whereId}`,
      ...Array.from(
        joinTables.values(),
        (joinTable) => `delete from ${joinTable.sql} where owner = ${placeholder(1)}`,
      ),
    ]
    const findRowSql = `select ${documentColumns.join(', ')} from ${sql}${whereId}`
    const findIdSql = `select 1 from ${sql}${whereId}`
    return {
      insert: (item) => ({ sql: insertSql, parameters: columnValuesOf(item) }),
      findRowToReplace: (item) => ({
        sql: findToReplaceSql,
        parameters: [
          item.id,
          ...sources.map((source) => (source === 'text' ? item.text : item.hiddenText)),
        ],
      }),
      replace: (item, before) => {
        const changed = indexedAssignments.filter(
          (_, index) => !before[documentColumns.length + index],
        )
        return {
          sql: `${replaceSql}${changed.join('')} where id = ${placeholder(6)}`,
          parameters: columnValuesOf(item),
        }
      },
      remove: (id) => removeSql.map((statement) => ({ sql: statement, parameters: [id] })),
      findRow: (id) => ({ sql: findRowSql, parameters: [id] }),
      findId: (id) => ({ sql: findIdSql, parameters: [id] }),
    }
  })

function insertSqlOf(dialect: Dialect, { sql, writtenColumns }: DocumentTable): string {
  const columns = [...documentColumns, 'id', ...writtenColumns.map((column) => column.sql)]
  const values = [
    ...[1, 2, 3, 4, 5, 6].map(dialect.placeholder),
    ...writtenColumns.map((column) => writtenValue(dialect, column)),
  ]
  return `insert into ${sql} (${columns.join(', ')}) values (${values.join(', ')})`
}

function findToReplaceSqlOf({ placeholder }: Dialect, { sql, writtenColumns }: DocumentTable) {
  const [indexed] = partition(writtenColumns)
  const sources = [...new Set(indexed.map(({ source }) => source))]
  const comparisons = indexed.map(
    (column) =>
      `${column.sql} is not distinct from ${column.valueIn(placeholder(sources.indexOf(column.source) + 2))}`,
  )
  const selected = [...documentColumns, ...comparisons].join(', ')
  return { sql: `select ${selected} from ${sql} where id = ${placeholder(1)}`, sources }
}

function partition(columns: readonly WrittenColumn[]) {
  return [
    columns.filter(({ isIndexed }) => isIndexed),
    columns.filter((column) => !column.isIndexed),
  ] as const
}

const documentColumns = ['text', 'split', 'hidden', 'hash', 'revision']

/** The values of the document columns, and the id. */
function columnValuesOf(item: StoredItem): readonly unknown[] {
  return [item.text, item.relationsOffset, item.hiddenText, item.hash, item.revision, item.id]
}

/** The value of a column in the documents that `columnValuesOf` binds. */
function writtenValue({ placeholder }: Dialect, { source, valueIn }: WrittenColumn): string {
  return valueIn(placeholder(source === 'text' ? 1 : 3))
}
