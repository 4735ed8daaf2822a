import {
  type DatabaseSchema,
  type Engine,
  findColumn,
  isView,
  type SqlSession,
  type TableSchema,
} from '../../store/read-database.ts'
import { countOf } from '../../text/message-text.ts'

/** Runs statements in a transaction of their own. */
type RunSql = SqlSession['run']

/** Why a column with the name of an id is no key of this table; undefined if it may be one. */
export type KeyObjection = (table: TableSchema, column: string) => string | undefined

/** A database that can be asked what its rows hold. */
export interface CountedDatabase {
  readonly engine: Pick<Engine, 'dialect' | 'isRemote' | 'quoteTable'>
  readonly run: RunSql
  /** The text of the views, which begins with their schema and name. */
  readonly viewsSql: string
  /** Reads all tables, also those that are not pulled. */
  readAll(): Promise<DatabaseSchema>
}

/** The columns with the name of an id, the best one first, where nothing in the table is unique. */
export function keyCandidates({ columns, primaryKey, uniqueKeys }: TableSchema): readonly string[] {
  if (primaryKey || uniqueKeys.length > 0) return []
  const names = columns.map(({ name }) => name)
  return [
    ...names.filter((name) => name.toLowerCase() === 'id'),
    ...names.filter((name) => /(?:_id|[a-z]Id|[a-z]ID)$/.test(name)),
  ]
}

/**
 * Looks into the rows of tables in which nothing is unique: a column whose values repeat is no key,
 * and neither is one that refers to another table, even if no value repeats yet.
 */
export async function objectionsTo(
  tables: readonly TableSchema[],
  database: CountedDatabase,
): Promise<KeyObjection> {
  const reasons = new Map<string, string>()
  const candidates = tables.map((table) => [table, keyCandidates(table)] as const)
  if (candidates.every(([, columns]) => columns.length === 0)) return () => undefined
  const definitions = await viewDefinitions(database)
  const all = await database.readAll()
  for (const [table, columns] of candidates)
    for (const column of columns) {
      const reason =
        foreignKeyReason(all, table, column, definitions.get(tableText(table))) ??
        (await repeatingReason(database, table, column))
      if (reason !== undefined) reasons.set(`${tableText(table)}.${column}`, reason)
    }
  return (table, column) => reasons.get(`${tableText(table)}.${column}`)
}

async function viewDefinitions({
  run,
  viewsSql,
}: CountedDatabase): Promise<ReadonlyMap<string, string>> {
  const [result] = await run([{ sql: viewsSql, parameters: [] }])
  return new Map(
    result!.rows.map(([schema, name, sql]) => [`${schema}.${name}`, String(sql ?? '')]),
  )
}

/** A view has the foreign keys of the tables that its text names. */
function foreignKeyReason(
  { tables }: DatabaseSchema,
  table: TableSchema,
  column: string,
  definition: string | undefined,
): string | undefined {
  const sources = isView(table)
    ? tables.filter(({ name }) => definition !== undefined && hasWord(definition, name))
    : [table]
  const source = sources.find(({ foreignKeys }) =>
    foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === column),
  )
  if (!source) return undefined
  return source === table
    ? `'${column}' refers to another table`
    : `'${column}' of '${source.name}' refers to another table`
}

function hasWord(text: string, word: string): boolean {
  const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`, 'i').test(text)
}

async function repeatingReason(
  { engine, run }: CountedDatabase,
  table: TableSchema,
  column: string,
): Promise<string | undefined> {
  if (!findColumn(table, column)) return undefined
  const name = engine.dialect.quote(column)
  const sql = `select count(${name}), count(distinct ${name}) from ${engine.quoteTable(table)}`
  try {
    const [result] = await run([{ sql, parameters: [] }])
    const [rows, values] = result!.rows[0]!.map(Number)
    return rows === values
      ? undefined
      : `'${column}' has ${countOf(values!, 'different value')} in ${countOf(rows!, 'row')}`
  } catch (error) {
    return `the values of '${column}' could not be counted (${(error as Error).message})`
  }
}

/** Names a table among all of them. */
export function tableText({ schema, name }: Pick<TableSchema, 'schema' | 'name'>): string {
  return `${schema}.${name}`
}
