import type { ModelDescription } from './model-description.ts'

/**
 * Can `onDelete: 'restrict'`, or an immutable item, prevent the deletion of an item of the model?
 * The relation may lead to the item, or to an item that a cascade would delete with it.
 */
export function canBeRestricted(
  model: ModelDescription,
  visited: ReadonlySet<ModelDescription> = new Set(),
): boolean {
  if (visited.has(model)) return false
  const visitedHere = new Set([...visited, model])
  return model.inboundRelations.some(
    ({ owner, relation }) =>
      owner.immutability !== undefined ||
      (relation.kind === 'toOne' &&
        (relation.onDelete === 'restrict' ||
          (relation.onDelete === 'cascade' && canBeRestricted(owner, visitedHere)))),
  )
}
