import { compareForLocks, modelsBelow } from '../../model/lock-order.ts'
import type { ModelDescription, RollupField } from '../../model/model-description.ts'
import { compareText } from '../../query/compare.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { RollupLink } from './rollup-links.ts'
import { isNothing, noDelta, type RollupDelta, withValue } from './rollup-total.ts'

/** What has to be done to the rollups of an item. */
export type PendingRollup =
  | {
      readonly kind: 'changed'
      readonly deltas: ReadonlyMap<RollupField, RollupDelta>
      /** Does the item get a new version, even if its rollups stay as they are? */
      readonly isNewVersion: boolean
      /** Has an item begun to relate to it? */
      readonly isJoined: boolean
    }
  /** What its relations hold is not known: they are read. */
  | { readonly kind: 'unknown' }

/** The items of a model, by their ids. */
export interface PendingItems {
  readonly model: ModelDescription
  readonly items: readonly (readonly [string, PendingRollup])[]
}

/** An item of a relation, before or after its change. */
export interface RelatedState {
  readonly parentIds: readonly string[]
  valueOf(field: RollupField): Scalar
}

const unknown: PendingRollup = Object.freeze({ kind: 'unknown' })
const noChange: PendingRollup = Object.freeze({
  kind: 'changed',
  deltas: new Map(),
  isNewVersion: false,
  isJoined: false,
})

/** What the writes of a transaction do to rollups, until it writes these. */
export class PendingRollups {
  readonly #isHidden: (field: RollupField) => boolean
  readonly #pending = new Map<ModelDescription, Map<string, PendingRollup>>()
  /** The items with rollups that the transaction has removed. */
  readonly #removed = new Set<string>()

  /** @param isHidden is the rollup hidden from those who see the version of the item? */
  constructor(isHidden: (field: RollupField) => boolean) {
    this.#isHidden = isHidden
  }

  get isEmpty(): boolean {
    return this.#pending.size === 0
  }

  /**
   * Do rollups of the model change: is something pending, or made of what is?
   * @param id of the only item that matters. Default: all do
   */
  has(model: ModelDescription, id?: Scalar): boolean {
    const items = this.#pending.get(model)
    if (items && (id === undefined || items.has(String(id)))) return true
    for (const pending of this.#pending.keys())
      if (pending !== model && modelsBelow(model).has(pending)) return true
    return false
  }

  /** The item of a relation has changed. */
  add(
    { parent, fields }: RollupLink,
    before: RelatedState | undefined,
    after: RelatedState | undefined,
  ): void {
    const stays = new Set(after?.parentIds.filter((id) => before?.parentIds.includes(id)))
    const changed = fields.filter((field) => !hasSameValue(field, before, after))
    // If it stayed, it would tell that a value is not the largest one, or that a guess is right.
    const isNewVersion = fields.some(this.#isHidden)
    for (const id of new Set([...(before?.parentIds ?? []), ...(after?.parentIds ?? [])])) {
      const concerned = stays.has(id) ? changed : fields
      if (concerned.length === 0 && !isNewVersion) continue
      if (this.#removed.has(itemKey(parent, id))) continue
      const pending = this.#of(parent, id)
      if (pending.kind === 'unknown') continue
      const deltas = new Map(pending.deltas)
      for (const field of concerned) {
        let delta = deltas.get(field) ?? noDelta(field)
        if (before?.parentIds.includes(id))
          delta = withValue(field, delta, 'removed', before.valueOf(field))
        if (after?.parentIds.includes(id))
          delta = withValue(field, delta, 'added', after.valueOf(field))
        deltas.set(field, delta)
      }
      this.#set(parent, id, {
        kind: 'changed',
        deltas,
        isNewVersion: pending.isNewVersion || isNewVersion,
        isJoined: pending.isJoined || !before?.parentIds.includes(id),
      })
    }
  }

  /**
   * The item is new. Items may relate to it already if this transaction has removed another one
   * with its id.
   * @param mayHaveItems may they do so anyway?
   */
  create(model: ModelDescription, id: string, mayHaveItems: boolean): void {
    const isReplaced = this.#removed.delete(itemKey(model, id))
    if (mayHaveItems || isReplaced || this.#pending.get(model)?.has(id))
      this.#set(model, id, unknown)
  }

  /** The item is gone. What its items do from now on does not count for anything. */
  remove(model: ModelDescription, id: string): void {
    this.#removed.add(itemKey(model, id))
    const ids = this.#pending.get(model)
    ids?.delete(id)
    if (ids?.size === 0) this.#pending.delete(model)
  }

  /**
   * Takes what is pending of one model. All transactions take models and ids in the same order, so
   * that they do not wait in a circle: rollups that others are made of come first.
   */
  take(): PendingItems | undefined {
    const [first] = [...this.#pending].toSorted(([one], [other]) => compareForLocks(one, other))
    if (!first) return undefined
    const [model, items] = first
    this.#pending.delete(model)
    return {
      model,
      items: [...items].filter(isEffective).toSorted(([one], [other]) => compareText(one, other)),
    }
  }

  #of(model: ModelDescription, id: string): PendingRollup {
    return this.#pending.get(model)?.get(id) ?? noChange
  }

  #set(model: ModelDescription, id: string, pending: PendingRollup): void {
    const ids = this.#pending.get(model)
    if (ids) ids.set(id, pending)
    else this.#pending.set(model, new Map([[id, pending]]))
  }
}

function isEffective([, pending]: readonly [string, PendingRollup]): boolean {
  if (pending.kind === 'unknown' || pending.isNewVersion) return true
  return ![...pending.deltas.values()].every(isNothing)
}

/** It counts the same where the item stays. */
function hasSameValue(
  field: RollupField,
  before: RelatedState | undefined,
  after: RelatedState | undefined,
): boolean {
  if (!before || !after) return false
  return (
    field.computed.function === 'count' || isSameValue(before.valueOf(field), after.valueOf(field))
  )
}
