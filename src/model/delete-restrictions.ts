import type { ModelDescription } from './model-description.ts'

/**
 * Can other items keep an item of the model from being deleted: by a relation to itself, or to one
 * that would be deleted with it?
 */
export function canBeRestricted(
  model: ModelDescription,
  passed: ReadonlySet<ModelDescription> = new Set(),
): boolean {
  if (passed.has(model)) return false
  const all = new Set([...passed, model])
  return model.inboundRelations.some(
    ({ owner, relation }) =>
      relation.kind === 'toOne' &&
      (relation.onDelete === 'restrict' ||
        (relation.onDelete === 'cascade' && canBeRestricted(owner, all))),
  )
}
