import { truncate } from '../../error/truncate.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isShown, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { migrateItem, schemaFingerprint } from '../../stored-item/migrate-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Table } from '../sql/table.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier } from './dialect.ts'
import { fingerprintInFile, fingerprintKey } from './file-fingerprints.ts'
import { type TableLayout, tableOf } from './layout.ts'
import { replaceRow } from './sqlite-transaction.ts'

/**
 * Writes anew what an older form of the model wrote, in so far as the model stores it in another
 * way now. The file says which form its items are in, so that they are looked through only where
 * that has changed. To be called inside a transaction, once the tables are prepared.
 *
 * @throws RegistrationError when defaults of new fields would be the same in a unique one
 */
export async function migrateItems(connection: Connection, layout: TableLayout): Promise<void> {
  const { model } = layout
  const form = schemaFingerprint(model)
  if (fingerprintInFile(connection, model.plural) === form) return
  const table = tableOf(layout, new Set())
  for (
    let rows = itemsAfter(connection, layout, '');
    rows.length > 0;
    rows = itemsAfter(connection, layout, rows.at(-1)!.id)
  ) {
    for (const item of rows) await migrateRow(connection, table, item)
  }
  // While a form of the model had no such relation, nobody took away the links of items that were
  // deleted.
  for (const { sql } of table.joinTables.values())
    connection.exec(`delete from ${sql} where owner not in (select id from ${table.sql})`)
  connection
    .prepare('insert or replace into "_layout" (key, value) values (?, ?)')
    .run([fingerprintKey(model.plural), form])
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

async function migrateRow(connection: Connection, table: Table, item: StoredItem): Promise<void> {
  const { model } = table
  const renewed = await migrateItem(model, item)
  if (renewed === item) return
  const outcome = replaceRow(connection, table, renewed)
  if (outcome.kind === 'taken') throw duplicateDefault(model, outcome.field, renewed)
}

function duplicateDefault(
  model: ModelDescription,
  name: string,
  item: StoredItem,
): RegistrationError {
  const field = model.fieldsByName.get(name)
  const isTold = field?.kind !== 'value' || isShown(field)
  const value = isTold ? `, '${truncate(String(readStoredValues(model, item)[name]))}',` : ''
  return new RegistrationError(
    `The field '${name}' of the model '${model.name}' is unique, but its default${value} is the same for several items that are stored without one, such as '${item.id}'.`,
  )
}
