import type { TableName } from '../../../model/storage.ts'
import { type CountedItems, maxNamedIds } from '../../missing-values.ts'
import type { Engine } from '../engine.ts'
import type { RelationalColumn, RelationalLayout } from '../relational-layout.ts'
import type { SqlSession } from '../sql-database.ts'
import type { Renames } from './rename-steps.ts'

/** A column of a table that exists, by the names that they have before anything is renamed. */
export interface ExistingColumn {
  readonly table: string
  readonly key: string
  readonly column: string
}

export function columnBefore(
  { dialect, quoteTable }: Engine,
  { columns, ...renames }: Renames,
  layout: RelationalLayout,
  { name }: RelationalColumn,
): ExistingColumn {
  const rename = columns.find(({ table, to }) => table === layout.table && to === name)
  return {
    table: quoteTable(tableBefore(renames, layout.table)),
    key: dialect.quote(layout.key[0]!),
    column: dialect.quote(rename?.from ?? name),
  }
}

export function tableBefore({ tables }: Pick<Renames, 'tables'>, table: TableName): TableName {
  return tables.find(({ to }) => to === table)?.from ?? table
}

/** @param source what follows `from`: a table with the key, and a condition */
export async function countWithIds(
  session: SqlSession,
  key: string,
  source: string,
): Promise<CountedItems> {
  const [count, first] = await session.run(
    [
      `select count(*) from ${source}`,
      `select ${key} from ${source} order by ${key} limit ${maxNamedIds}`,
    ].map((sql) => ({ sql, parameters: [] })),
  )
  return { count: Number(count!.rows[0]![0]), ids: first!.rows.map(([id]) => String(id)) }
}
