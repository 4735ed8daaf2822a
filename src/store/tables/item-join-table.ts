import type { JoinTable } from '../sql/table.ts'
import type { ColumnCodec } from './column-type.ts'
import type { Engine } from './engine.ts'
import { existingCodec } from './existing-codec.ts'
import type { RelationalJoinTable } from './relational-layout.ts'
import { findColumn, type TableSchema } from './schema/database-schema.ts'

/** A join table with the columns that it has. */
export interface ItemJoinTable extends JoinTable {
  readonly ownerCodec: ColumnCodec
  readonly targetCodec: ColumnCodec
  /** The quoted column with the place of each target in the relation. */
  readonly position: string | undefined
}

/** The column of managed join tables with the place of each target in the relation. */
export const positionColumn = 'position'

/** @param isOwn has the store made the table? */
export function itemJoinTable(
  engine: Engine,
  { field, table, owner, target }: RelationalJoinTable,
  tableSchema: TableSchema,
  isOwn: boolean,
): ItemJoinTable {
  const { quote } = engine.dialect
  return {
    field,
    sql: engine.quoteTable(table),
    owner: quote(owner),
    target: quote(target),
    ownerCodec: existingCodec(engine, tableSchema, owner, 'id'),
    targetCodec: existingCodec(engine, tableSchema, target, 'id'),
    position: isOwn && findColumn(tableSchema, positionColumn) ? quote(positionColumn) : undefined,
  }
}

/** The ids that a relation holds: in its order, where the table keeps one. */
export function targetList(engine: Engine, joinTable: ItemJoinTable, id: string): string {
  const { sql, owner } = joinTable
  return joinedTargetList(engine, joinTable, `${sql} j`, `j.${owner} = ${id}`)
}

/** @param from has rows of the join table, with the alias `j` */
export function joinedTargetList(
  { idList }: Engine,
  { target, targetCodec, position }: ItemJoinTable,
  from: string,
  where: string,
): string {
  const ids = `j.${target}`
  const order = position === undefined ? [ids] : [`j.${position}`, ids]
  return idList(targetCodec.form.text(ids), order, from, where)
}
