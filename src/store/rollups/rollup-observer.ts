import type { ModelDescription, RollupField } from '../../model/model-description.ts'
import { fieldPathsIn, idEquals } from '../../query/conditions.ts'
import { idIn } from '../../query/id-in.ts'
import type { Condition, FieldPath, Scalar, SortKey } from '../../query/query-plan.ts'
import { sortPathsIn } from '../../query/sort-keys.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { RelatedItemRemoved } from '../related-item-removed.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import type { ItemChange, WriteObserver } from '../write-observer.ts'
import { type PendingRollup, PendingRollups, type RelatedState } from './pending-rollups.ts'
import type { RollupLink } from './rollup-links.ts'
import { removeRollupRow } from './rollup-table.ts'
import { hasKeptSums, itemWithRollups } from './write-rollups.ts'

/** The models that take part in rollups, and how. */
export interface RollupModels {
  /** All of them. */
  readonly models: ReadonlySet<ModelDescription>
  readonly linksByChild: ReadonlyMap<ModelDescription, readonly RollupLink[]>
  /** May items relate to one that is not there yet? Loading items is one way to that. */
  readonly mayPrecedeParents: boolean
  /** Those that are hidden from clients which see the version of the item. */
  readonly hidden: ReadonlySet<RollupField>
  /** Gets errors of code that the writer of a related item can do nothing about. */
  report(error: unknown): void
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
  readonly #pending: PendingRollups
  #failure: { readonly error: unknown } | undefined

  constructor(rollups: RollupModels) {
    this.watched = rollups.models
    this.#rollups = rollups
    this.#pending = new PendingRollups((field) => rollups.hidden.has(field))
  }

  written(
    transaction: StoreTransaction,
    { kind, model, id, before, after }: ItemChange,
  ): Promise<void> | undefined {
    const hasRollups = model.rollupFields.length > 0
    if (hasRollups && kind === 'delete') this.#pending.remove(model, id)
    if (hasRollups && kind === 'create')
      this.#pending.create(model, id, this.#rollups.mayPrecedeParents)
    this.#add(model, before, after)
    return hasRollups && kind === 'delete' && hasKeptSums(model)
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
    sort: readonly SortKey[],
  ): boolean {
    if (this.#pending.isEmpty) return false
    if (reads === 'items' && this.#pending.has(model, idIn(condition))) return true
    if (looksAtRelated(condition)) return true
    return [...fieldPathsIn(condition), ...sort.flatMap(sortPathsIn)].some((path) =>
      leadsToRelated(path) ? true : this.#pending.has(model) && path.names[0] !== 'id',
    )
  }

  isUnsettled(): boolean {
    return !this.#pending.isEmpty || this.#failure !== undefined
  }

  /** Rollups are made of rollups, too. */
  computed(_transaction: StoreTransaction, { model, before, after }: ItemChange): void {
    this.#add(model, before, after)
  }

  /** @throws RelatedItemRemoved; after an error, each time: the transaction cannot be committed */
  async settle(unit: RollupUnit): Promise<void> {
    if (this.#failure) throw this.#failure.error
    try {
      await this.#settleAll(unit)
    } catch (error) {
      // Code that reads an item in a transaction may catch the error, and go on.
      this.#failure = { error }
      throw error
    }
  }

  async #settleAll(unit: RollupUnit): Promise<void> {
    const { unobserved: transaction } = unit
    const report = (error: Error): void => this.#rollups.report(error)
    for (let taken = this.#pending.take(); taken; taken = this.#pending.take()) {
      const { model, items } = taken
      for (const [id, pending] of items) {
        // It locks the item.
        const item = await transaction.find(model, idEquals(id))
        if (!item) {
          refuseRemoved(transaction, model, id, pending)
          continue
        }
        const changed = await itemWithRollups(transaction, model, item, pending, report)
        if (changed !== item) await unit.replaceComputed(model, item, changed)
      }
    }
  }

  #add(
    model: ModelDescription,
    before: StoredItem | undefined,
    after: StoredItem | undefined,
  ): void {
    for (const link of this.#rollups.linksByChild.get(model) ?? [])
      this.#pending.add(link, stateOf(link, before), stateOf(link, after))
  }
}

/**
 * Another transaction has removed the item since this one began to relate something to it. Somebody
 * may create it again before the commit, and would not know what relates to it. In a store with one
 * writer at a time, no other transaction can have removed it.
 * @throws RelatedItemRemoved
 */
function refuseRemoved(
  { locks }: StoreTransaction,
  model: ModelDescription,
  id: string,
  pending: PendingRollup,
): void {
  if (locks && pending.kind === 'changed' && pending.isJoined)
    throw new RelatedItemRemoved(model, id)
}

/** Is a related item compared, or does what is visible depend on one? */
function leadsToRelated({ names, guards = [] }: FieldPath): boolean {
  return (
    names.length > 1 ||
    guards.some(({ depth, condition }) => depth > 0 || looksAtRelated(condition))
  )
}

/** Is there a condition that related items have to satisfy, whose paths begin with these? */
function looksAtRelated(condition: Condition): boolean {
  switch (condition.kind) {
    case 'some':
      return true
    case 'and':
    case 'or':
      return condition.conditions.some(looksAtRelated)
    case 'not':
      return looksAtRelated(condition.condition)
    default:
      return false
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
