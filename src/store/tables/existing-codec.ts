import type { ColumnCodec, ColumnType } from './column-type.ts'
import type { Engine } from './engine.ts'
import { findColumn, type TableSchema } from './schema/database-schema.ts'

/** How a column that exists keeps values of a type of fields. A start has checked that it can. */
export function existingCodec(
  engine: Engine,
  table: TableSchema,
  name: string,
  type: ColumnType,
): ColumnCodec {
  const codec = engine.codecFor(type, findColumn(table, name)!.type)
  if (codec) return codec
  throw new Error(`The column '${name}' of '${table.name}' cannot hold its field.`)
}
