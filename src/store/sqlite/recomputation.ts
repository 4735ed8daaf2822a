import type { DerivedField, ModelDescription } from '../../model/model-description.ts'
import { entryOfAnyVersion, fingerprintEntry } from '../../stored-item/migrate-item.ts'
import type { TableLayout } from '../sql/layout.ts'
import { pendingBackfills } from './backfill-items.ts'
import type { Connection } from './connection.ts'
import { maySeeNewValues } from './derivations.ts'
import {
  fingerprintInFile,
  formInFile,
  layoutFingerprint,
  type StoredForm,
} from './file-fingerprints.ts'
import { hasTable } from './has-table.ts'
import { mayChangeItems } from './may-change-items.ts'
import { noteOfRecomputation } from './recomputation-note.ts'

/** Derived fields whose values a start makes again in batches, while old processes go on. */
export interface Recomputation {
  readonly fields: readonly DerivedField[]
  /** The form of the items afterwards. */
  readonly form: StoredForm
}

/**
 * Undefined where no version of a function is another one, or where the items have to change in
 * another manner too: the transaction that does this makes the values as well.
 *
 * @param layout with the names that the tables have in the file
 */
export function pendingRecomputation(
  connection: Connection,
  layout: TableLayout,
): Recomputation | undefined {
  const { model, name } = layout
  if (model.derivedFields.length === 0) return undefined
  if (!hasTable(connection, '_layout') || !hasTable(connection, name)) return undefined
  if (fingerprintInFile(connection, model.plural) === layoutFingerprint(layout)) return undefined
  const formBefore = formInFile(connection, model.plural)
  // A start that was given up may have written values of other functions.
  const begun = noteOfRecomputation(connection, name)?.entries ?? []
  const fields = model.derivedFields.filter(
    (field) =>
      !formBefore.members.has(fingerprintEntry(field)) ||
      entryOfAnyVersion(field, begun) !== undefined,
  )
  if (fields.length === 0) return undefined
  const form = { ...formBefore, members: withOwnVersions(formBefore, fields) }
  const isAlone =
    pendingBackfills(connection, layout).length === 0 &&
    !mayChangeItems(connection, layout, form) &&
    maySeeNewValues(connection, model)
  return isAlone ? { fields, form } : undefined
}

/** The members of the form with the versions that the model has. */
function withOwnVersions(
  { members }: StoredForm,
  fields: readonly DerivedField[],
): ReadonlySet<string> {
  const before = fields.map((field) => entryOfAnyVersion(field, members))
  const others = [...members].filter((entry) => !before.includes(entry))
  // A field of which the items have no value yet stays without an entry.
  const after = fields.filter((_, index) => before[index] !== undefined).map(fingerprintEntry)
  return new Set([...others, ...after])
}

/** The members of the form without those whose values the items may have of several versions. */
export function withoutBegun(
  { members }: StoredForm,
  { derivedFields }: ModelDescription,
  begun: readonly string[],
): ReadonlySet<string> {
  const mixed = derivedFields
    .filter((field) => entryOfAnyVersion(field, begun) !== undefined)
    .map((field) => entryOfAnyVersion(field, members))
  return new Set([...members].filter((entry) => !mixed.includes(entry)))
}
