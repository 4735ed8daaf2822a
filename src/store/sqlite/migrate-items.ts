import { setImmediate } from 'node:timers/promises'
import { truncate } from '../../error/truncate.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isShown, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { migrateItem } from '../../stored-item/migrate-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { type TableLayout, tableOf } from '../sql/layout.ts'
import type { DocumentTable } from '../sql/table.ts'
import type { StoreOpenOptions } from '../store.ts'
import { uniqueSubject } from '../unique-subject.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { fingerprintInFile, fingerprintKey, layoutFingerprint } from './file-fingerprints.ts'
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
  { isForced, onProgress }: MigrationOptions,
): Promise<void> {
  const { model } = layout
  const fingerprint = layoutFingerprint(layout)
  if (!isForced && fingerprintInFile(connection, model.plural) === fingerprint) return
  const table = tableOf(sqliteDialect, layout, {
    withNulls: new Set(),
    generated: generatedColumns(connection, layout),
  })
  const [count] = connection.prepare(`select count(*) from ${table.sql}`).get([])!
  const total = Number(count)
  let done = 0
  for (
    let rows = itemsAfter(connection, layout, '');
    rows.length > 0;
    rows = itemsAfter(connection, layout, rows.at(-1)!.id)
  ) {
    for (const item of rows) await migrateRow(connection, table, item)
    done += rows.length
    onProgress?.({ step: `Bringing '${model.plural}' into the form of the model`, done, total })
    // Reads get a turn.
    await setImmediate()
  }
  refreshColumns(connection, table)
  // Versions of the model without this relation did not delete its rows with the items.
  for (const { sql } of table.joinTables.values())
    connection.exec(`delete from ${sql} where owner not in (select id from ${table.sql})`)
  connection
    .prepare('insert or replace into "_layout" (key, value) values (?, ?)')
    .run([fingerprintKey(model.plural), fingerprint])
}

/** Versions of the model without a field, or with another type of it, did not set its column. */
function refreshColumns(connection: Connection, { sql, writtenColumns }: DocumentTable): void {
  if (writtenColumns.length === 0) return
  const columns = writtenColumns.map((column) => ({
    name: column.sql,
    value: column.valueIn(quoteIdentifier(column.source)),
  }))
  const assignments = columns.map(({ name, value }) => `${name} = ${value}`)
  const differences = columns.map(({ name, value }) => `${name} is distinct from ${value}`)
  connection.exec(`update ${sql} set ${assignments.join(', ')} where ${differences.join(' or ')}`)
}

const batchSize = 1_000

function itemsAfter(
  connection: Connection,
  { name }: TableLayout,
  id: string,
): readonly StoredItem[] {
  const rows = connection
    .prepare(
      `select id, text, split, hidden, hash, revision from ${quoteIdentifier(name)} where id > ? order by id limit ${batchSize}`,
    )
    .all([id])
  return rows.map(
    ([id, text, split, hidden, hash, revision]) =>
      ({ id, text, relationsOffset: split, hiddenText: hidden, hash, revision }) as StoredItem,
  )
}

async function migrateRow(
  connection: Connection,
  table: DocumentTable,
  item: StoredItem,
): Promise<void> {
  const { model } = table
  const migrated = await migrateItem(model, item)
  if (migrated === item) return
  const outcome = replaceRow(connection, table, migrated)
  if (outcome.kind === 'taken') throw duplicateDefault(model, outcome.fields, migrated)
}

function duplicateDefault(
  model: ModelDescription,
  names: readonly string[],
  item: StoredItem,
): RegistrationError {
  const [name] = names
  const field = model.fieldsByName.get(name!)
  const isPublic = names.length === 1 && (field?.kind !== 'value' || isShown(field))
  const value = isPublic ? ` '${truncate(String(readStoredValues(model, item)[name!]))}'` : ''
  return new RegistrationError(
    `${uniqueSubject(model, names)}, but several stored items, such as '${item.id}', would get the same default ${names.length === 1 ? 'value' : 'values'}${value}.`,
  )
}
