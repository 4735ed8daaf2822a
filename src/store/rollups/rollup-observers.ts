import type { ModelDescription } from '../../model/model-description.ts'
import type { BeginObserver } from '../write-observer.ts'
import { linksByChild } from './rollup-links.ts'
import { type RollupModels, RollupObserver, type RollupUnit } from './rollup-observer.ts'
import { rollupModel } from './rollup-table.ts'
import { hasKeptSums } from './write-rollups.ts'

/** What keeps the rollups of these models; nothing where there are none. */
export function rollupObservers(
  models: readonly ModelDescription[],
  writes: 'operations' | 'loads',
): readonly BeginObserver<RollupUnit>[] {
  const links = linksByChild(models)
  if (links.size === 0) return []
  const parents = models.filter(({ rollupFields }) => rollupFields.length > 0)
  const rollups: RollupModels = {
    models: new Set([...links.keys(), ...parents]),
    linksByChild: links,
    mayPrecedeParents: writes === 'loads',
  }
  return [() => new RollupObserver(rollups)]
}

/** The models with the one that keeps sums, where one of them has some. */
export function withRollupModel(models: readonly ModelDescription[]): readonly ModelDescription[] {
  return models.some(hasKeptSums) ? [...models, rollupModel] : models
}
