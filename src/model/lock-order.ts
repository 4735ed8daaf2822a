import { memoizeBy } from '../cache/memoize-by.ts'
import { compareText } from '../query/compare.ts'
import type { ModelDescription } from './model-description.ts'
import { rollupDepth } from './rollup-depth.ts'

/**
 * The order in which transactions lock items of several models, so that they do not wait for each
 * other in a circle. Whoever writes an item has locked it when its rollups are written, so an item
 * comes before those that keep rollups of it.
 */
export function compareForLocks(one: ModelDescription, other: ModelDescription): number {
  return (
    modelsBelow(one).size - modelsBelow(other).size ||
    // Of models with rollups of each other: the ones that others are made of.
    rollupDepth(one) - rollupDepth(other) ||
    compareText(one.name, other.name)
  )
}

/**
 * The models that rollups of a model are over, and those that theirs are over. A model that others
 * are over has fewer than they have, unless its own are over them too.
 */
export const modelsBelow: (model: ModelDescription) => ReadonlySet<ModelDescription> = memoizeBy(
  (model: ModelDescription): ReadonlySet<ModelDescription> => {
    const models = new Set<ModelDescription>()
    const add = ({ rollupFields }: ModelDescription): void => {
      for (const { computed } of rollupFields) {
        const { relatedModel } = computed.relation
        if (models.has(relatedModel)) continue
        models.add(relatedModel)
        add(relatedModel)
      }
    }
    add(model)
    return models
  },
)
