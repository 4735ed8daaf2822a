import type { ModelDescription, OwnedRelation, ValueField } from '../model/model-description.ts'
import type { ResourceField } from '../model/resource-field.ts'

/**
 * The names under which stored items may have a member: its own, and those that it had before
 * (`was`). A name that another member has now is not among them.
 *
 * ```ts
 * storedNames(book, book.fieldsByName.get('pageCount')) // ['pageCount', 'pages']
 * ```
 */
export function storedNames(
  model: ModelDescription,
  field: ValueField | OwnedRelation | ResourceField,
): readonly string[] {
  const formerNames = formerNamesOf(field)
  if (formerNames.length === 0) return [field.wireName]
  return [field.wireName, ...formerNames.filter((name) => !model.fieldsByWireName.has(name))]
}

/** The wire names that a member had before. */
export function formerNamesOf(
  field: ValueField | OwnedRelation | ResourceField,
): readonly string[] {
  return field.kind === 'toMany' ? [] : field.storage.formerNames
}
