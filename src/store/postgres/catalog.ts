import type { TableName } from '../../model/storage.ts'
import type { Catalog } from '../tables/catalog.ts'
import type { SqlSession } from '../tables/sql-database.ts'

/**
 * What the database has under these names. Tables without a schema are looked up in the schema in
 * which a new table would be.
 */
export async function postgresCatalog(
  session: SqlSession,
  tables: readonly TableName[],
): Promise<Catalog> {
  const names = JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))
  const wanted =
    'jsonb_to_recordset($1::jsonb) as w(schema text, name text) ' +
    'join pg_namespace n on n.nspname = coalesce(w.schema, current_schema()) ' +
    'join pg_class c on c.relnamespace = n.oid and c.relname = w.name'
  const [columns, indexes, constraints] = await session.run([
    {
      sql: `select w.schema, w.name, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull from ${wanted} join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum`,
      parameters: [names],
    },
    {
      sql: `select i.relname from ${wanted} join pg_index x on x.indrelid = c.oid join pg_class i on i.oid = x.indexrelid`,
      parameters: [names],
    },
    {
      sql: `select k.conname from ${wanted} join pg_constraint k on k.conrelid = c.oid`,
      parameters: [names],
    },
  ])
  const catalog = new Map<string, Map<string, { type: string; isNullable: boolean }>>()
  for (const [schema, name, column, type, notNull] of columns!.rows) {
    const key = JSON.stringify([schema, name])
    const known = catalog.get(key) ?? new Map()
    catalog.set(key, known)
    known.set(column as string, { type: type as string, isNullable: notNull === 'f' })
  }
  const namesIn = (rows: readonly (readonly unknown[])[]) =>
    new Set(rows.map(([name]) => name as string))
  return {
    columnsOf: ({ schema = null, name }) => catalog.get(JSON.stringify([schema, name])),
    names: new Set([...namesIn(indexes!.rows), ...namesIn(constraints!.rows)]),
  }
}
