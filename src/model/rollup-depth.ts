import { memoizeBy } from '../cache/memoize-by.ts'
import { isMadeOfRollup } from './made-of-rollup.ts'
import type { ModelDescription } from './model-description.ts'

/**
 * 0 for a model whose rollups are made of no rollups, else one more than that of the model they are
 * made of. Rollups that others are made of are written first. Registration has refused circles.
 */
export const rollupDepth: (model: ModelDescription) => number = memoizeBy(
  (model: ModelDescription): number =>
    Math.max(
      0,
      ...model.rollupFields.map(({ computed: { relation, source } }) =>
        source && isMadeOfRollup(relation.relatedModel, source)
          ? rollupDepth(relation.relatedModel) + 1
          : 0,
      ),
    ),
)
