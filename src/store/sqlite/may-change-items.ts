import { isDerivedField, type ValueField } from '../../model/model-description.ts'
import { fingerprintEntries, fingerprintEntry } from '../../stored-item/migrate-item.ts'
import { formerNamesOf } from '../../stored-item/stored-names.ts'
import type { TableLayout } from '../sql/layout.ts'
import { falseSql } from '../sql/logic.ts'
import type { Connection } from './connection.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import type { StoredForm } from './file-fingerprints.ts'

/**
 * Can items look different under the model? They cannot where it has more optional fields only, of
 * which no item has a value among those that former versions of the model left.
 */
export function mayChangeItems(
  connection: Connection,
  { model, name }: TableLayout,
  { members }: StoredForm,
): boolean {
  const entries = fingerprintEntries(model)
  const added = model.valueFields.filter((field) => !members.has(fingerprintEntry(field)))
  // All that is not in the form is a value field, and all of the form is in the model.
  const kept = entries.filter((entry) => members.has(entry))
  if (kept.length !== members.size || entries.length !== kept.length + added.length) return true
  const changesItems = (field: ValueField) =>
    field.isRequiredInResponse || isDerivedField(field) || formerNamesOf(field).length > 0
  if (added.some(changesItems)) return true
  const isHeld = added.map(
    ({ wireName }) => `json_type(hidden, ${jsonPathSql([wireName])}) is not null`,
  )
  const query = `select exists (select 1 from ${quoteIdentifier(name)} where hidden is not null and (${isHeld.join(' or ') || falseSql}))`
  return connection.prepare(query).get([])?.[0] === 1
}
