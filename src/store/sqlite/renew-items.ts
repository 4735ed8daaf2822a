import { shortened } from '../../error/shortened.ts'
import type { ModelDescription } from '../../model/description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isShown, storedValues } from '../item-text.ts'
import { formOf, renewedItem } from '../renewed-item.ts'
import type { Table } from '../sql/table.ts'
import type { StoredItem } from '../stored-item.ts'
import type { Connection } from './connection.ts'
import { quote } from './dialect.ts'
import { formInFile, formKey } from './file-forms.ts'
import { type TableLayout, tableOf } from './layout.ts'
import { replace } from './transaction.ts'

/**
 * Writes anew what an older form of the model wrote, in so far as the model stores it in another way now. The file says which form its items are in, so
 * that they are looked through only where that has changed. To be called inside a transaction, once the tables are prepared.
 *
 * @throws RegistrationError when defaults of new fields would be the same in a unique one
 */
export async function renewItems(connection: Connection, layout: TableLayout): Promise<void> {
  const { model } = layout
  const form = formOf(model)
  if (formInFile(connection, model.plural) === form) return
  const table = tableOf(layout, new Set())
  for (let rows = after(connection, layout, ''); rows.length > 0; rows = after(connection, layout, rows.at(-1)!.id)) {
    for (const item of rows) await renew(connection, table, item)
  }
  // While a form of the model had no such relation, nobody took away the links of items that were deleted.
  for (const { sql } of table.sides.values())
    connection.exec(`delete from ${sql} where owner not in (select id from ${table.sql})`)
  connection.prepared('insert or replace into "_layout" (key, value) values (?, ?)').run([formKey(model.plural), form])
}

const batchSize = 1_000

function after(connection: Connection, { name }: TableLayout, id: string): readonly StoredItem[] {
  const rows = connection
    .prepared(
      `select id, text, split, hidden, hash, revision from ${quote(name)} where id > ? order by id limit ${batchSize}`,
    )
    .all([id])
  return rows.map(
    ([id, text, split, hidden, hash, revision]) => ({ id, text, split, hidden, hash, revision }) as StoredItem,
  )
}

async function renew(connection: Connection, table: Table, item: StoredItem): Promise<void> {
  const { model } = table
  const renewed = await renewedItem(model, item)
  if (renewed === item) return
  const outcome = replace(connection, table, renewed)
  if (outcome.kind === 'taken') throw sharedDefault(model, outcome.field, renewed)
}

function sharedDefault(model: ModelDescription, name: string, item: StoredItem): RegistrationError {
  const field = model.byName.get(name)
  const isTold = field?.kind !== 'value' || isShown(field)
  const value = isTold ? `, '${shortened(String(storedValues(model, item)[name]))}',` : ''
  return new RegistrationError(
    `The field '${name}' of the model '${model.name}' is unique, but its default${value} is the same for several items that are stored without one, such as '${item.id}'.`,
  )
}
