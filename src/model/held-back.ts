import type { ModelDescription } from './description.ts'

/** Can other items keep an item of the model from being deleted: by a relation to itself, or to one that would be deleted with it? */
export function canBeHeldBack(model: ModelDescription, passed: ReadonlySet<ModelDescription> = new Set()): boolean {
  if (passed.has(model)) return false
  const all = new Set([...passed, model])
  return model.inbound.some(
    ({ from, relation }) =>
      relation.kind === 'toOne' &&
      (relation.onDelete === 'restrict' || (relation.onDelete === 'cascade' && canBeHeldBack(from, all))),
  )
}
