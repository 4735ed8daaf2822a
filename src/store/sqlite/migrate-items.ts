import { setImmediate } from 'node:timers/promises'
import { textEditing } from '../../stored-item/edit-texts.ts'
import { fingerprintEntry } from '../../stored-item/migrate-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { type TableLayout, tableOf } from '../sql/layout.ts'
import type { DocumentTable, WrittenColumn } from '../sql/table.ts'
import type { StoreOpenOptions } from '../store.ts'
import type { WriteOutcome } from '../store-transaction.ts'
import type { Connection } from './connection.ts'
import { noteDerivations, noteSharedDerivations } from './derivations.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { type RowEditor, type RowRange, rowEditor } from './edit-rows.ts'
import {
  fingerprintInFile,
  fingerprintKey,
  formInFile,
  layoutFingerprint,
  type StoredForm,
} from './file-fingerprints.ts'
import { writeNote } from './file-notes.ts'
import { mayChangeItems } from './may-change-items.ts'
import { itemsIn, itemsWhere, migrateRow } from './migrate-row.ts'
import { generatedColumns } from './prepare-tables.ts'
import { replaceRow } from './sqlite-transaction.ts'

interface MigrationOptions extends StoreOpenOptions {
  /** Are items read although the model is the same, because a backfill has changed them? */
  readonly isForced: boolean
}

/**
 * Rewrites items that an older version of the model wrote, where the model stores them differently
 * now. The file has the fingerprint of its items, so that they are read only after a change. Call
 * it inside a transaction, after `prepareTables`.
 *
 * @throws RegistrationError when several items would get the same default value in a unique field
 */
export async function migrateItems(
  connection: Connection,
  layout: TableLayout,
  options: MigrationOptions,
): Promise<void> {
  const { model } = layout
  const fingerprint = layoutFingerprint(layout)
  if (!options.isForced && fingerprintInFile(connection, model.plural) === fingerprint) {
    noteSharedDerivations(connection, model)
    return
  }
  const table = tableOf(sqliteDialect, layout, {
    withNulls: new Set(),
    generated: generatedColumns(connection, layout),
  })
  const form = formInFile(connection, model.plural)
  const stale = staleColumns(table, layout, form, options)
  if (options.isForced || mayChangeItems(connection, layout, form)) {
    const changed = changeOfItems(connection, table, form, stale, options)
    await rewriteItems(connection, changed, options)
  }
  refreshColumns(connection, table, stale)
  // Versions of the model without this relation did not delete its rows with the items.
  for (const { field, sql } of table.joinTables.values())
    if (!form.members.has(fingerprintEntry(field)))
      connection.exec(`delete from ${sql} where owner not in (select id from ${table.sql})`)
  writeNote(connection, fingerprintKey(model.plural), fingerprint)
  noteDerivations(connection, model)
}

/** How the items of a table get the form of the model. */
interface ItemsChange {
  readonly table: DocumentTable
  /** Undefined where more than the texts of items may change. */
  readonly editRows: RowEditor | undefined
  /** Writes an item that has changed. */
  write(item: StoredItem): WriteOutcome
}

/** Most changes concern neither columns nor join tables, so that the documents alone change. */
function changeOfItems(
  connection: Connection,
  table: DocumentTable,
  { members }: StoredForm,
  stale: readonly WrittenColumn[],
  { isForced }: MigrationOptions,
): ItemsChange {
  const relations = Array.from(table.joinTables.values(), ({ field }) => fingerprintEntry(field))
  if (stale.length > 0 || !relations.every((entry) => members.has(entry)))
    return { table, editRows: undefined, write: (item) => replaceRow(connection, table, item) }
  const editing = isForced ? undefined : textEditing(table.model, members)
  const update = connection.prepare(
    `update ${table.sql} set text = ?, split = ?, hidden = ?, hash = ?, revision = ? where id = ?`,
  )
  return {
    table,
    editRows: editing && rowEditor(connection, table, editing),
    write(item) {
      const { id, text, relationsOffset, hiddenText, hash, revision } = item
      update.run([text, relationsOffset, hiddenText, hash, revision, id])
      return { kind: 'written', item }
    },
  }
}

async function rewriteItems(
  connection: Connection,
  { table, editRows, write }: ItemsChange,
  { onProgress }: MigrationOptions,
): Promise<void> {
  const { model } = table
  const [count] = connection.prepare(`select count(*) from ${table.sql}`).get([])!
  const total = Number(count)
  let done = 0
  for (let after: string | undefined = ''; after !== undefined && total > 0; ) {
    const range: RowRange = { after, until: endOfBatch(connection, table, after) }
    const items = editRows
      ? editRows(range).flatMap((id) => itemsWhere(connection, table, 'id = ?', [id]))
      : itemsIn(connection, table, range)
    for (const item of items) await migrateRow(model, item, write)
    after = range.until
    done = Math.min(done + batchSize, total)
    onProgress?.({ step: `Bringing '${model.plural}' into the form of the model`, done, total })
    // Reads get a turn.
    await setImmediate()
  }
}

/**
 * Versions of the model without a field, or with another type of it, did not set its column, and a
 * changed field may get another value.
 */
function staleColumns(
  { writtenColumns }: DocumentTable,
  { columns }: TableLayout,
  { members, columns: writtenBefore }: StoredForm,
  { isForced }: MigrationOptions,
): readonly WrittenColumn[] {
  const current = new Set(
    columns
      .filter(({ name, field }) => {
        const isFilled = isForced && field.kind === 'value' && field.backfill !== undefined
        return !isFilled && writtenBefore.has(name) && members.has(fingerprintEntry(field))
      })
      .map(({ name }) => quoteIdentifier(name)),
  )
  return writtenColumns.filter(({ sql }) => !current.has(sql))
}

function refreshColumns(
  connection: Connection,
  { sql }: DocumentTable,
  stale: readonly WrittenColumn[],
): void {
  if (stale.length === 0) return
  const columns = stale.map((column) => ({
    name: column.sql,
    value: column.valueIn(quoteIdentifier(column.source)),
  }))
  const assignments = columns.map(({ name, value }) => `${name} = ${value}`)
  const differences = columns.map(({ name, value }) => `${name} is distinct from ${value}`)
  connection.exec(`update ${sql} set ${assignments.join(', ')} where ${differences.join(' or ')}`)
}

/** Where more items are in memory at a time, garbage collection takes longer. */
const batchSize = 200

/** The last id of a batch; undefined if no item follows it. */
function endOfBatch(
  connection: Connection,
  { sql }: DocumentTable,
  after: string,
): string | undefined {
  const query = `select id from ${sql} where id > ? order by id limit 1 offset ${batchSize - 1}`
  return connection.prepare(query).get([after])?.[0] as string | undefined
}
