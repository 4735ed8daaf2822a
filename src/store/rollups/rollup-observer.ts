import type { ModelDescription, RollupField } from '../../model/model-description.ts'
import { fieldPathsIn, idEquals } from '../../query/conditions.ts'
import type { Condition, Scalar } from '../../query/query-plan.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import type { ItemChange, WriteObserver } from '../write-observer.ts'
import { PendingRollups, type RelatedState } from './pending-rollups.ts'
import type { RollupLink } from './rollup-links.ts'
import { removeRollupRow } from './rollup-table.ts'
import { hasKeptSums, itemWithRollups } from './write-rollups.ts'

/** The models that take part in rollups, and how. */
export interface RollupModels {
  /** All of them. */
  readonly models: ReadonlySet<ModelDescription>
  readonly linksByChild: ReadonlyMap<ModelDescription, readonly RollupLink[]>
  /** May items relate to one that is not there yet? So it is where items are loaded. */
  readonly mayPrecedeParents: boolean
}

/** The transaction in which rollups are written. */
export interface RollupUnit {
  readonly unobserved: StoreTransaction
  /** Writes what the service has computed. No hook and no limit takes part. */
  replaceComputed(model: ModelDescription, before: StoredItem, after: StoredItem): Promise<void>
}

/**
 * Keeps the rollups of the items to which written items relate. It gathers what changes, and writes
 * each of these items once: before somebody reads them, or else before the commit, so that they are
 * locked for a short time.
 */
export class RollupObserver implements WriteObserver<RollupUnit> {
  readonly watched: ReadonlySet<ModelDescription>
  readonly #rollups: RollupModels
  readonly #pending = new PendingRollups()

  constructor(rollups: RollupModels) {
    this.watched = rollups.models
    this.#rollups = rollups
  }

  written(
    transaction: StoreTransaction,
    { kind, model, id, before, after }: ItemChange,
  ): Promise<void> | undefined {
    for (const link of this.#rollups.linksByChild.get(model) ?? [])
      this.#pending.add(link, stateOf(link, before), stateOf(link, after))
    if (model.rollupFields.length === 0 || kind === 'update') return undefined
    // What its former items did to it does not count for a new one.
    this.#pending.delete(model, id)
    if (kind === 'create' && this.#rollups.mayPrecedeParents) this.#pending.addUnknown(model, id)
    return kind === 'delete' && hasKeptSums(model)
      ? removeRollupRow(transaction, model, id)
      : undefined
  }

  isFollowed({ model }: ItemChange): boolean {
    return !this.#pending.isEmpty || this.watched.has(model)
  }

  isUnsettledFor(
    model: ModelDescription,
    condition: Condition,
    reads: 'items' | 'number',
  ): boolean {
    if (this.#pending.isEmpty) return false
    if (reads === 'items' && this.#pending.has(model)) return true
    return fieldPathsIn(condition).some(({ names }) =>
      names.length > 1 ? true : this.#pending.has(model) && names[0] !== 'id',
    )
  }

  isUnsettled(): boolean {
    return !this.#pending.isEmpty
  }

  async settle(unit: RollupUnit): Promise<void> {
    while (!this.#pending.isEmpty)
      for (const [model, ids] of this.#pending.take())
        for (const [id, pending] of ids) {
          const { unobserved: transaction } = unit
          // It locks the item.
          const item = await transaction.find(model, idEquals(id))
          if (!item) continue
          const changed = await itemWithRollups(transaction, model, item, pending)
          if (changed !== item) await unit.replaceComputed(model, item, changed)
        }
  }
}

function stateOf(
  { child, relation }: RollupLink,
  item: StoredItem | undefined,
): RelatedState | undefined {
  if (!item) return undefined
  const values = readStoredValues(child, item)
  return {
    parentIds: linkedIds(linkageOf(item), relation),
    valueOf: ({ computed: { source } }: RollupField) =>
      source ? ((values[source.name] ?? null) as Scalar) : null,
  }
}
