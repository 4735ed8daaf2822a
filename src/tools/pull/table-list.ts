import type { TableName } from '../../store/public.ts'
import { isView, type TableSchema } from '../../store/read-database.ts'
import { countOf } from '../../text/message-text.ts'
import { readTables } from './pull-source.ts'

export const noTables = 'The database has no tables.'

/**
 * The tables and views of a database, a line for each, by the names that `pull` takes.
 *
 * @param url `postgres://…`, or `sqlite:<file>`, or the path of an SQLite file
 */
export async function tableList(url: string): Promise<string> {
  const tables = await readTables(url)
  if (tables.length === 0) return noTables
  const lines = tables.map((table) => `  ${writtenName(table)}${isView(table) ? ' (view)' : ''}`)
  return [
    `The database has ${countOf(tables.length, 'table')}:`,
    ...lines,
    'Name those to pull with --tables, separated by commas, or pull all of them with --all.',
  ].join('\n')
}

/** Without the schema where a statement needs none. */
export function writtenName({ schema, name, isOnSearchPath }: TableSchema): string {
  return tableText({ schema: isOnSearchPath ? undefined : schema, name })
}

/** With the schema, where there is one. */
export function tableText({ schema, name }: TableName): string {
  return schema === undefined ? name : `${schema}.${name}`
}
