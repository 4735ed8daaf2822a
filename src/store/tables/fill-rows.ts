import type { OldItem } from '../../model/declare/backfill.ts'
import { isDerivedField, type ValueField } from '../../model/model-description.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { withValuesDerivedAgain } from '../../stored-item/derived-values.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import { backfillFault, backfillValue } from '../backfill.ts'
import { type Filling, handleInTime } from '../fill-in-batches.ts'
import { anyOfSql, trueSql } from '../sql/logic.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { takenDerivedValue } from '../taken-derived-value.ts'
import { isMadeAgain } from './backfill-notes.ts'
import type { ColumnCodec } from './column-type.ts'
import type { Engine } from './engine.ts'
import { addedColumns, logOf } from './filling-note.ts'
import type { ItemTable } from './item-table.ts'
import { abandonedColumns } from './plan/abandoned-steps.ts'
import { columnOf } from './relational-layout.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import type { Settings } from './settings-table.ts'
import type { SqlSession } from './sql-database.ts'
import { noteOf } from './table-notes.ts'

/** A table whose columns a transaction fills in. */
export interface FilledTable {
  readonly engine: Engine
  readonly session: SqlSession
  readonly table: ItemTable
  readonly schema: DatabaseSchema
  readonly settings: Settings
  readonly fields: readonly ValueField[]
}

/** A column that no field has any more. */
interface FormerColumn {
  readonly name: string
  readonly sql: string
  readonly codec: ColumnCodec
}

export function rowFilling(filled: FilledTable): Filling {
  const { engine, session, table, fields } = filled
  return {
    fields,

    async count() {
      const sql = `select count(*) from ${table.sql} t where ${lacksAny(filled)}`
      const [result] = await session.run([{ sql, parameters: [] }])
      return Number(result!.rows[0]![0])
    },

    async fillAfter(after, limit) {
      const [id] = table.key.of('t')
      const isAfter = after === '' ? '' : `${id} > ${engine.dialect.placeholder(1)} and `
      const condition = `${isAfter}(${lacksAny(filled)}) order by ${id} limit ${limit}`
      const rows = await readRows(filled, condition, after === '' ? [] : [after])
      const count = await fillRows(filled, rows, new Set())
      const last = rows[count - 1]
      return { count, end: last && table.idOf(last) }
    },

    fillChanged: (limit) => fillChangedRows(filled, limit),
  }
}

async function fillChangedRows(filled: FilledTable, limit: number): Promise<number> {
  const { engine, session, table, schema, settings } = filled
  const { placeholder } = engine.dialect
  const log = engine.quoteTable(
    logOf(engine, table.layout.table, findTable(schema, table.layout.table)!),
  )
  const read = `select id, n from ${log} order by id limit ${limit}`
  const [entries] = await session.run([{ sql: read, parameters: [] }])
  if (entries!.rows.length === 0) return 0
  const ids = entries!.rows.map(([id]) => id)
  const [id] = table.key.of('t')
  const places = ids.map((_, index) => placeholder(index + 1))
  const rows = await readRows(filled, `${id} in (${places.join(', ')})`, ids)
  await fillRows(filled, rows, addedColumns(engine, settings, table.layout.table)!, false)
  // A later change of the row has counted `n` up, and stays.
  const remove = `delete from ${log} where id = ${placeholder(1)} and n = ${placeholder(2)}`
  await session.run(entries!.rows.map(([id, n]) => ({ sql: remove, parameters: [id, n] })))
  return ids.length
}

async function readRows(
  filled: FilledTable,
  condition: string,
  parameters: readonly unknown[],
): Promise<readonly (readonly unknown[])[]> {
  const { engine, session, table } = filled
  const former = formerColumns(filled)
  const selected = [...table.itemExpressions('t'), ...former.map(({ sql }) => sql)]
  const sql = `select ${selected.join(', ')} from ${table.sql} t where ${condition}${engine.lockRows}`
  const [result] = await session.run([{ sql, parameters }])
  return result!.rows
}

/**
 * @param renewed columns whose values are made again where they are there
 * @returns how many rows fit in the time
 */
async function fillRows(
  filled: FilledTable,
  rows: readonly (readonly unknown[])[],
  renewed: ReadonlySet<string>,
  isTimed = true,
): Promise<number> {
  const { session } = filled
  const former = formerColumns(filled)
  const updates: (Statement & { readonly id: string; readonly field: ValueField })[] = []
  const fill = async (row: readonly unknown[]) => {
    updates.push(...(await updatesOf(filled, oldItemOf(filled, former, row), renewed)))
  }
  let { length: count } = rows
  if (isTimed) count = await handleInTime(rows, fill)
  else for (const row of rows) await fill(row)
  if (updates.length === 0) return count
  try {
    await session.attempt(updates)
  } catch (cause) {
    if (!filled.engine.violationOf(cause)) throw cause
    // All are undone, and one after the other tells which it was.
    for (const update of updates)
      await session.run([update]).catch((error) => {
        throw updateFault(filled, update, error)
      })
  }
  return count
}

async function updatesOf(
  { engine, table, fields }: FilledTable,
  old: OldItem,
  renewed: ReadonlySet<string>,
) {
  const { quote, placeholder } = engine.dialect
  const values: Record<string, unknown> & { id: string } = { ...old }
  for (const field of fields) {
    if (isDerivedField(field)) continue
    const before = old[field.name] ?? null
    const isRenewed = renewed.has(columnOf(table.layout, field).name)
    if (before !== null && !isRenewed) continue
    const { [field.name]: _, ...others } = old
    const value = await backfillValue(table.model, field, isRenewed ? (others as OldItem) : old)
    values[field.name] = value ?? undefined
  }
  // They are made of what is filled in, too.
  const complete = withValuesDerivedAgain(table.model, values)
  return fields.flatMap((field) => {
    const value = complete[field.name] ?? null
    if (isSameValue(value, old[field.name] ?? null)) return []
    const encoded = value === null ? null : table.codecOf(field).encode(value)
    const name = columnOf(table.layout, field).name
    const sql = `update ${engine.quoteTable(table.layout.table)} set ${quote(name)} = ${placeholder(2)} where ${table.key.equals(placeholder(1))}`
    return [{ sql, parameters: [old.id, encoded], id: old.id, field }]
  })
}

function updateFault(
  { engine, table }: FilledTable,
  { id, field }: { readonly id: string; readonly field: ValueField },
  cause: unknown,
): unknown {
  const violation = engine.violationOf(cause)
  if (!violation) return cause
  const isTaken = violation.kind === 'unique' || violation.kind === 'uniqueColumns'
  const taken = isTaken && takenDerivedValue(table.model, [field.name], id, cause)
  if (taken) return taken
  const reason = isTaken ? 'another item has the same value' : (cause as Error).message
  return backfillFault(table.model, field, id, reason, cause)
}

function oldItemOf(
  { table }: FilledTable,
  former: readonly FormerColumn[],
  row: readonly unknown[],
): OldItem {
  const formerValues = former.map(({ name, codec }, index): [string, unknown] => {
    const raw = row[table.itemWidth + index]
    return [name, raw === null ? null : codec.decode(raw)]
  })
  return {
    ...Object.fromEntries(formerValues),
    ...readStoredValues(table.model, table.itemOf(row)),
  }
}

/** Those whose values a codec can read. */
function formerColumns({ engine, table, schema, settings }: FilledTable): readonly FormerColumn[] {
  const { layout } = table
  const members = noteOf(engine, settings, layout)?.members ?? {}
  return abandonedColumns(layout, findTable(schema, layout.table)!).flatMap((column) => {
    const member = members[column.name] ?? { name: column.name, type: 'text' as const }
    const codec = engine.codecFor(member.type, column.type)
    if (!codec) return []
    return [
      { name: member.name, sql: codec.select(`t.${engine.dialect.quote(column.name)}`), codec },
    ]
  })
}

function lacksAny({ engine, table, settings, fields }: FilledTable): string {
  return anyOfSql(
    fields.map((field) =>
      isMadeAgain(engine, table.layout, settings, field)
        ? trueSql
        : `t.${engine.dialect.quote(columnOf(table.layout, field).name)} is null`,
    ),
  )
}
