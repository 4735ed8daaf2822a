import type { ModelDescription } from './model-description.ts'

/** Does a field have a column of the key? Then its value is a part of the id of a new item. */
export function hasKeyFields(model: ModelDescription): boolean {
  const columns = columnsOfFields(model)
  return model.storage.key.some((column) => columns.has(column))
}

/** Does a field have each column of the key? Then their values make the id of a new item. */
export function isKeyOfFields(model: ModelDescription): boolean {
  const columns = columnsOfFields(model)
  return model.storage.key.every((column) => columns.has(column))
}

function columnsOfFields({ valueFields, ownedRelations }: ModelDescription): ReadonlySet<string> {
  const toOne = ownedRelations.filter((relation) => relation.kind === 'toOne')
  return new Set([...valueFields, ...toOne].map(({ storage }) => storage.column))
}
