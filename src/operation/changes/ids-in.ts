import type { OwnedRelation } from '../../model/model-description.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/** The ids that the relation of the item holds. */
export function idsIn(values: StoredValues, { name }: OwnedRelation): readonly string[] {
  return [values[name]].flat().filter((id) => typeof id === 'string')
}
