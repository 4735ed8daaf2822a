import type { ModelDescription, ToOneField, ValueField } from './model-description.ts'

/** Does a field have a column of the key? Then its value is a part of the id of a new item. */
export function hasKeyFields(model: ModelDescription): boolean {
  return keyFields(model).length > 0
}

/** Does a field have each column of the key? Then their values make the id of a new item. */
export function isKeyOfFields(model: ModelDescription): boolean {
  return keyFields(model).length === model.storage.key.length
}

/** The fields with a column of the key, in the order of the key. */
export function keyFields({
  storage,
  valueFields,
  ownedRelations,
}: ModelDescription): readonly (ValueField | ToOneField)[] {
  const toOne = ownedRelations.filter((relation) => relation.kind === 'toOne')
  return storage.key.flatMap(
    (column) => [...valueFields, ...toOne].find((field) => field.storage.column === column) ?? [],
  )
}
