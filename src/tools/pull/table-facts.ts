import { type TableSchema, withoutDomains } from '../../store/read-database.ts'
import { type CountedDatabase, type KeyObjection, objectionsTo, tableText } from './assumed-keys.ts'

/** What the rows of tables say, and not their schema. */
export interface TableFacts {
  /** Why a column with the name of an id is no key. */
  readonly objection: KeyObjection
  /** Has the column integers that JavaScript cannot hold exactly? */
  hasLargeIntegers(table: TableSchema, column: string): boolean
}

export async function tableFacts(
  tables: readonly TableSchema[],
  database: CountedDatabase,
): Promise<TableFacts> {
  const objection = await objectionsTo(tables, database)
  const large = new Set<string>()
  for (const table of tables)
    for (const column of await largeIntegerColumns(table, database))
      large.add(`${tableText(table)}.${column}`)
  return {
    objection,
    hasLargeIntegers: (table, column) => large.has(`${tableText(table)}.${column}`),
  }
}

/** SQLite has other names for its integers, whose fields cannot be texts. */
async function largeIntegerColumns(
  table: TableSchema,
  { engine, run }: CountedDatabase,
): Promise<readonly string[]> {
  if (!engine.isRemote) return []
  const name = engine.quoteTable(table)
  const columns = table.columns.flatMap((column) => {
    const type = withoutDomains(column.type)
    const value = engine.dialect.quote(column.name)
    if (isBigint(type)) return [{ name: column.name, value, from: name }]
    return type.kind === 'array' && isBigint(withoutDomains(type.items))
      ? [{ name: column.name, value: 'e', from: `${name}, unnest(${value}) e` }]
      : []
  })
  const found: string[] = []
  for (const column of columns) {
    const isLarge = `${column.value} not between ${-maxSafe} and ${maxSafe}`
    const sql = `select 1 from ${column.from} where ${isLarge} limit 1`
    // A view may fail, such as one that divides by zero; its rows cannot be served either.
    const results = await run([{ sql, parameters: [] }]).catch(() => [])
    if (results[0]?.rows.length) found.push(column.name)
  }
  return found
}

const maxSafe = Number.MAX_SAFE_INTEGER

function isBigint(type: ReturnType<typeof withoutDomains>): boolean {
  return type.kind === 'base' && type.name === 'bigint'
}
