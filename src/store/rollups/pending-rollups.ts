import type { ModelDescription, RollupField } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { RollupLink } from './rollup-links.ts'
import { isNothing, noDelta, type RollupDelta, withValue } from './rollup-total.ts'

/** What has to be done to the rollups of an item. */
export type PendingRollup =
  | { readonly kind: 'changed'; readonly deltas: ReadonlyMap<RollupField, RollupDelta> }
  /** What its relations hold is not known: they are read. */
  | { readonly kind: 'unknown' }

/** An item of a relation, before or after its change. */
export interface RelatedState {
  readonly parentIds: readonly string[]
  valueOf(field: RollupField): Scalar
}

const unknown: PendingRollup = Object.freeze({ kind: 'unknown' })

/** What the writes of a transaction do to rollups, until it writes these. */
export class PendingRollups {
  readonly #pending = new Map<ModelDescription, Map<string, PendingRollup>>()

  get isEmpty(): boolean {
    return this.#pending.size === 0
  }

  has(model: ModelDescription): boolean {
    return this.#pending.has(model)
  }

  /** The item of a relation has changed. */
  add(
    { parent, fields }: RollupLink,
    before: RelatedState | undefined,
    after: RelatedState | undefined,
  ): void {
    const stays = new Set(after?.parentIds.filter((id) => before?.parentIds.includes(id)))
    const changed = fields.filter((field) => !hasSameValue(field, before, after))
    for (const id of new Set([...(before?.parentIds ?? []), ...(after?.parentIds ?? [])])) {
      const concerned = stays.has(id) ? changed : fields
      if (concerned.length === 0) continue
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
      this.#set(parent, id, { kind: 'changed', deltas })
    }
  }

  /** Nobody knows whether items relate to it already. */
  addUnknown(model: ModelDescription, id: string): void {
    this.#set(model, id, unknown)
  }

  delete(model: ModelDescription, id: string): void {
    const ids = this.#pending.get(model)
    ids?.delete(id)
    if (ids?.size === 0) this.#pending.delete(model)
  }

  /** In the order of models and ids, so that transactions do not wait in a circle. */
  take(): readonly (readonly [ModelDescription, readonly (readonly [string, PendingRollup])[]])[] {
    const taken = Array.from(
      this.#pending,
      ([model, ids]) =>
        [
          model,
          [...ids].filter(isEffective).toSorted(([one], [other]) => order(one, other)),
        ] as const,
    ).toSorted(([one], [other]) => order(one.name, other.name))
    this.#pending.clear()
    return taken
  }

  #of(model: ModelDescription, id: string): PendingRollup {
    return this.#pending.get(model)?.get(id) ?? { kind: 'changed', deltas: new Map() }
  }

  #set(model: ModelDescription, id: string, pending: PendingRollup): void {
    const ids = this.#pending.get(model)
    if (ids) ids.set(id, pending)
    else this.#pending.set(model, new Map([[id, pending]]))
  }
}

function isEffective([, pending]: readonly [string, PendingRollup]): boolean {
  return pending.kind === 'unknown' || ![...pending.deltas.values()].every(isNothing)
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

function order(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
