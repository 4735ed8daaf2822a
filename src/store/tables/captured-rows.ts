import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import { type ItemJoinTable, joinedTargetList } from './item-join-table.ts'
import type { VersionMaker } from './item-version.ts'
import type { KeyColumns } from './key-columns.ts'
import { formerColumns } from './plan/former-names.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { rowFormat, type TableColumns } from './row-format.ts'
import { rowReader } from './row-reader.ts'

/**
 * Reads rows that triggers have logged, as JSON: `{"row":{…},"relations":{"genres":[{…}]}}`, with
 * the rows of join tables.
 */
export interface CapturedRows {
  /** Rows of no item have no row in the result. */
  statement(texts: readonly string[]): Statement
  /** The index of the text, and its item; undefined where the row has too little for one. */
  read(row: Row): { readonly index: number; readonly item: StoredItem | undefined }
}

interface CapturedTable extends Omit<TableColumns, 'targetsSql'> {
  readonly key: KeyColumns
  /** By the names of relations. */
  readonly joinTables: readonly ItemJoinTable[]
  /** The conditions that the row with this alias is one of an item. */
  idConditions(alias: string): readonly string[]
  readonly versionColumns: readonly string[]
}

/** Undefined if nothing logs rows. */
export function capturedRows(
  engine: Engine,
  table: CapturedTable,
  makeVersion: VersionMaker,
): CapturedRows | undefined {
  const { capture, dialect } = engine
  if (!capture) return undefined
  const { layout, key, joinTables, version, codecOf } = table
  const rowJson = capture.member('e.value', 'row')
  const relationsJson = capture.member('e.value', 'relations')
  const format = rowFormat({
    ...table,
    targetsSql(relation) {
      const joinTable = joinTables.find(({ field }) => field === relation)!
      const elements = capture.elements(capture.member(relationsJson, relation.name), 'x')
      const row = capture.rowOf(joinTable.sql, 'x.value', 'j')
      return joinedTargetList(engine, joinTable, `${elements} cross join ${row}`, 'true')
    },
  })
  const needed = neededColumns(engine, layout).map(
    (name) => `${capture.member(rowJson, name)} is null`,
  )
  const cells = [
    key.select('r'),
    ...format.expressions('r'),
    ...table.versionColumns.map((column) => `cast(r.${column} as text)`),
    'e.position',
    `case when ${needed.join(' or ')} then 1 else 0 end`,
  ]
  const from = `${capture.capturedRows(dialect.placeholder(1))} cross join ${capture.rowOf(engine.quoteTable(layout.table), rowJson, 'r')}`
  const conditions = table.idConditions('r')
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
  const sql = `select ${cells.join(', ')} from ${from}${where}`
  const idCodec = key.codec
  const reader = rowReader(format, { model: layout.model, idCodec, codecOf, version }, makeVersion)
  return {
    statement: (texts) => ({ sql, parameters: [`[${texts.join(',')}]`] }),
    read(row) {
      const [position, isLacking] = row.slice(-2)
      const item = Number(isLacking) === 1 ? undefined : reader.itemOf(row)
      return { index: Number(position) - 1, item }
    },
  }
}

/**
 * A row without one of these is of an older form of the table: the value stands under a former
 * name, or a start has filled it in since.
 */
function neededColumns({ maxNameBytes }: Engine, layout: RelationalLayout): readonly string[] {
  const columns = layout.columns.filter(
    (column) => column.isRequired || formerColumns(layout, column, maxNameBytes).length > 0,
  )
  return [...new Set([...layout.key, ...columns.map(({ name }) => name)])]
}
