import type { ModelDescription } from './model-description.ts'

/** Do fields have a column of the key? Then their values make the ids of new items. */
export function hasKeyFields({ storage, valueFields, ownedRelations }: ModelDescription): boolean {
  const toOne = ownedRelations.filter((relation) => relation.kind === 'toOne')
  return [...valueFields, ...toOne].some((field) => storage.key.includes(field.storage.column))
}
