import { truncate } from '../../error/truncate.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isShown, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { migrateItem } from '../../stored-item/migrate-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { DocumentTable } from '../sql/table.ts'
import type { WriteOutcome } from '../store-transaction.ts'
import { takenDerivedValue } from '../taken-derived-value.ts'
import { uniqueSubject } from '../unique-subject.ts'
import type { Connection } from './connection.ts'
import { type RowRange, rangeCondition } from './edit-rows.ts'

export function itemsIn(
  connection: Connection,
  table: DocumentTable,
  range: RowRange,
): readonly StoredItem[] {
  const { sql, values } = rangeCondition(range)
  return itemsWhere(connection, table, sql, values)
}

export function itemsWhere(
  connection: Connection,
  { sql }: DocumentTable,
  condition: string,
  values: readonly string[],
): readonly StoredItem[] {
  return connection
    .prepare(
      `select id, text, split, hidden, hash, revision from ${sql} where ${condition} order by id`,
    )
    .all(values)
    .map(
      ([id, text, split, hidden, hash, revision]) =>
        ({ id, text, relationsOffset: split, hiddenText: hidden, hash, revision }) as StoredItem,
    )
}

/**
 * Writes an item as the model has it, where that differs.
 * @throws RegistrationError if another item has its value of a unique field
 */
export async function migrateRow(
  model: ModelDescription,
  item: StoredItem,
  write: (item: StoredItem) => WriteOutcome,
): Promise<void> {
  const migrated = await migrateItem(model, item)
  if (migrated === item) return
  const outcome = write(migrated)
  if (outcome.kind === 'taken')
    throw (
      takenDerivedValue(model, outcome.fields, migrated.id) ??
      duplicateDefault(model, outcome.fields, migrated)
    )
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
