import type { ModelDescription, RollupField } from '../../model/model-description.ts'
import type { BeginObserver } from '../write-observer.ts'
import { linksByChild } from './rollup-links.ts'
import { type RollupModels, RollupObserver, type RollupUnit } from './rollup-observer.ts'
import { rollupModel } from './rollup-table.ts'
import { hasKeptSums } from './write-rollups.ts'

/** How a router keeps rollups. */
export interface RollupObserverOptions {
  readonly writes: 'operations' | 'loads'
  /** Does the store refuse items that relate to missing ones? */
  readonly keepsRelations: boolean
  /** Is the rollup hidden from clients that see the version of its item? */
  isHidden(model: ModelDescription, field: RollupField): boolean
  /** Gets errors of code that the writer of a related item can do nothing about. */
  report(error: unknown): void
}

/** What keeps the rollups of these models; nothing where there are none. */
export function rollupObservers(
  models: readonly ModelDescription[],
  { writes, keepsRelations, isHidden, report }: RollupObserverOptions,
): readonly BeginObserver<RollupUnit>[] {
  const links = linksByChild(models)
  if (links.size === 0) return []
  const parents = models.filter(({ rollupFields }) => rollupFields.length > 0)
  const hidden = parents.flatMap((model) =>
    model.rollupFields.filter((field) => isHidden(model, field)),
  )
  const rollups: RollupModels = {
    models: new Set([...links.keys(), ...parents]),
    linksByChild: links,
    mayPrecedeParents: writes === 'loads' || !keepsRelations,
    hidden: new Set(hidden),
    report,
  }
  return [() => new RollupObserver(rollups)]
}

/** The models with the one that keeps sums, where one of them has some. */
export function withRollupModel(models: readonly ModelDescription[]): readonly ModelDescription[] {
  return models.some(hasKeptSums) ? [...models, rollupModel] : models
}
