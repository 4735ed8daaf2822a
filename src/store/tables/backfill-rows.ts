import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import type { OldItem } from '../../model/declare/backfill.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import {
  type BackfillField,
  backfillFault,
  backfillFields,
  backfillValue,
  maxBatchMs,
} from '../backfill.ts'
import type { StoreOpenOptions } from '../store.ts'
import { noteBackfills, pendingBackfills } from './backfill-notes.ts'
import type { ColumnCodec } from './column-type.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import { abandonedColumns } from './plan/abandoned-steps.ts'
import { columnOf } from './relational-layout.ts'
import type { DatabaseSchema } from './schema/database-schema.ts'
import { findTable } from './schema/database-schema.ts'
import { readSettings, type Settings } from './settings-table.ts'
import type { SqlDatabase, SqlSession } from './sql-database.ts'
import { noteOf } from './table-notes.ts'

const batchSize = 500

/** A column that no field has any more. */
interface FormerColumn {
  readonly name: string
  readonly sql: string
  readonly codec: ColumnCodec
}

/**
 * Fills in fields of rows that have no value, in a transaction for each batch. Processes of the old
 * version go on, and of several processes that start one fills in each row.
 */
export async function backfillRows(
  engine: Engine,
  database: SqlDatabase,
  table: ItemTable,
  schema: DatabaseSchema,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  if (backfillFields(table.model).length === 0) return
  let total: number | undefined
  let done = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const position: string = after
    const batch = await database.longTransaction(async (session) => {
      const pending = async () => {
        const settings = await readSettings(engine, session, schema)
        return { settings, fields: pendingBackfills(engine, table.layout, settings) }
      }
      // Most starts have nothing to fill in, and wait for no other process.
      if ((await pending()).fields.length === 0) return undefined
      await session.run([{ sql: engine.lockSchema, parameters: [] }])
      const { settings, fields } = await pending()
      if (fields.length === 0) return undefined
      const count = total ?? (await countLacking(engine, session, table, fields))
      const filled = await fillBatch({ engine, session, table, schema, settings }, fields, position)
      if (filled.end === undefined) await session.run(noteBackfills(engine, table.layout, fields))
      return { ...filled, fields, total: count }
    })
    if (!batch) return
    total = batch.total
    done += batch.count
    after = batch.end
    if (total > 0)
      onProgress?.({
        step: `Filling in ${batch.fields.map(({ wireName }) => `'${wireName}'`).join(', ')} of '${table.model.plural}'`,
        done: Math.min(done, total),
        total,
      })
  }
}

interface BatchContext {
  readonly engine: Engine
  readonly session: SqlSession
  readonly table: ItemTable
  readonly schema: DatabaseSchema
  readonly settings: Settings
}

async function countLacking(
  engine: Engine,
  session: SqlSession,
  table: ItemTable,
  fields: readonly BackfillField[],
): Promise<number> {
  const sql = `select count(*) from ${table.sql} t where ${lacksAny(engine, table, fields)}`
  const [result] = await session.run([{ sql, parameters: [] }])
  return Number(result!.rows[0]![0])
}

/** @returns the last id; undefined if no row is left */
async function fillBatch(
  context: BatchContext,
  fields: readonly BackfillField[],
  after: string,
): Promise<{ readonly count: number; readonly end: string | undefined }> {
  const { engine, session, table } = context
  const { placeholder } = engine.dialect
  const former = formerColumns(context)
  const selected = [...table.itemExpressions('t'), ...former.map(({ sql }) => sql)]
  const [id] = table.key.of('t')
  const isAfter = after === '' ? '' : `${id} > ${placeholder(1)} and `
  const sql = `select ${selected.join(', ')} from ${table.sql} t where ${isAfter}(${lacksAny(engine, table, fields)}) order by ${id} limit ${batchSize}${engine.lockRows}`
  const [result] = await session.run([{ sql, parameters: after === '' ? [] : [after] }])
  const rows = result!.rows
  const startedAt = performance.now()
  let count = 0
  for (const row of rows) {
    if (count > 0 && performance.now() - startedAt > maxBatchMs) break
    await fillRow(context, fields, oldItemOf(table, former, row))
    count++
  }
  const last = rows[count - 1]
  return { count, end: last && table.idOf(last) }
}

function oldItemOf(
  table: ItemTable,
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

async function fillRow(
  { engine, session, table }: BatchContext,
  fields: readonly BackfillField[],
  old: OldItem,
): Promise<void> {
  const { quote, placeholder } = engine.dialect
  for (const field of fields) {
    if ((old[field.name] ?? null) !== null) continue
    const value = (await backfillValue(table.model, field, old)) ?? null
    if (value === null) continue
    const { version } = table
    const values = [
      { column: field.storage.column, value: table.codecOf(field).encode(value) },
      ...(version.kind === 'random' ? [{ column: version.column, value: randomUUID() }] : []),
    ]
    const assignments = values.map(
      ({ column }, index) => `${quote(column)} = ${placeholder(index + 2)}`,
    )
    const sql = `update ${engine.quoteTable(table.layout.table)} set ${assignments.join(', ')} where ${table.key.equals(placeholder(1))}`
    try {
      await session.run([{ sql, parameters: [old.id, ...values.map((part) => part.value)] }])
    } catch (cause) {
      const violation = engine.violationOf(cause)
      if (!violation) throw cause
      const isTaken = violation.kind === 'unique' || violation.kind === 'uniqueColumns'
      const reason = isTaken ? 'another item has the same value' : (cause as Error).message
      throw backfillFault(table.model, field, old.id, reason, cause)
    }
  }
}

/** Those whose values a codec can read. */
function formerColumns({ engine, table, schema, settings }: BatchContext): readonly FormerColumn[] {
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

function lacksAny(
  { dialect }: Engine,
  { layout }: ItemTable,
  fields: readonly BackfillField[],
): string {
  return fields
    .map((field) => `t.${dialect.quote(columnOf(layout, field).name)} is null`)
    .join(' or ')
}
