import { isDeepStrictEqual } from 'node:util'
import { callerIdOf } from '../../context/caller-or-address.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import {
  addVersion,
  findVersions,
  type ItemVersion,
  removeVersions,
} from '../../store/history/version-table.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { findTrashed } from '../../store/trash/trash-table.ts'
import type { ItemChange, WriteObserver } from '../../store/write-observer.ts'
import { changedMembers } from '../../stored-item/changed-members.ts'
import { bodyOf, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import {
  formerValuesWithRollupsOf,
  withRollupsForComparison,
} from '../../stored-item/rollup-values.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** Of which models versions are kept. */
export interface RecordedVersions {
  readonly models: ReadonlySet<ModelDescription>
  /** In milliseconds since 1970. */
  nowMs(): number
}

/**
 * Adds a version after each write of an item. The versions of a deleted item go with it; where the
 * model has a trash, they wait there with the item.
 */
export class VersionRecorder implements WriteObserver<UnitOfWork> {
  readonly watched: ReadonlySet<ModelDescription>
  readonly #recorded: RecordedVersions

  constructor(recorded: RecordedVersions) {
    this.watched = recorded.models
    this.#recorded = recorded
  }

  isFollowed({ model }: ItemChange): boolean {
    return this.watched.has(model)
  }

  written(
    transaction: StoreTransaction,
    change: ItemChange,
    unit: UnitOfWork,
  ): Promise<void> | undefined {
    if (!this.watched.has(change.model)) return undefined
    switch (change.kind) {
      case 'create':
        return this.#created(transaction, change, unit)
      case 'update':
        return this.#updated(transaction, change, unit)
      case 'delete':
        return change.model.trash
          ? undefined
          : discardVersions(transaction, change.model, change.id, unit, change.before)
    }
  }

  /** An item that comes back from the trash goes on with its versions; no other has any. */
  async #created(
    transaction: StoreTransaction,
    { model, id, after }: Extract<ItemChange, { kind: 'create' }>,
    unit: UnitOfWork,
  ): Promise<void> {
    let previous = await lastVersion(transaction, model, id)
    const [former] =
      previous && model.trash ? await findTrashed(transaction, model, id, { limit: 1 }) : []
    if (former?.ownsVersions) {
      // The item in the trash keeps its files, and can come back only in place of the new one.
      await discardVersions(transaction, model, id, unit, undefined, former.item)
      previous = undefined
    }
    await this.#add(transaction, model, previous, { item: after, changed: undefined }, unit)
  }

  async #updated(
    transaction: StoreTransaction,
    { model, id, before, after }: Extract<ItemChange, { kind: 'update' }>,
    unit: UnitOfWork,
  ): Promise<void> {
    const last = await lastVersion(transaction, model, id)
    const isKnown = !before || (last && isSameItem(model, last.item, before))
    if (!isKnown) await addVersion(transaction, model, last, unknownWrite(last, before!))
    const previous = isKnown ? last : await lastVersion(transaction, model, id)
    // Rollups change between versions, by writes of other items.
    const changed =
      previous && changedMembers(withRollupsForComparison(model, previous.item, after), after)
    await this.#add(transaction, model, previous, { item: after, changed }, unit)
  }

  #add(
    transaction: StoreTransaction,
    model: ModelDescription,
    previous: ItemVersion | undefined,
    written: Pick<ItemVersion, 'item' | 'changed'>,
    unit: UnitOfWork,
  ): Promise<void> {
    const caller = callerIdOf(unit.source?.cause.context?.caller)
    return addVersion(transaction, model, previous, {
      timeMs: this.#recorded.nowMs(),
      caller,
      ...written,
    })
  }
}

/** The item was written before its model kept versions, was loaded, or another program wrote it. */
function unknownWrite(
  last: ItemVersion | undefined,
  item: StoredItem,
): Omit<ItemVersion, 'number'> {
  const changed = last && changedMembers(last.item, item)
  return { timeMs: null, caller: null, item, changed }
}

/** A store may write the members of values in another order than it was given them. */
function isSameItem(model: ModelDescription, one: StoredItem, other: StoredItem): boolean {
  if (one.hash !== null && one.hash === other.hash) return true
  if (bodyOf(one) === bodyOf(other) && one.hiddenText === other.hiddenText) return true
  const values = readStoredValues(model, other)
  return (
    isDeepStrictEqual(
      formerValuesWithRollupsOf(model, readStoredValues(model, one), values),
      values,
    ) && isDeepStrictEqual(blobKeysOf(one), blobKeysOf(other))
  )
}

async function lastVersion(
  transaction: StoreTransaction,
  model: ModelDescription,
  id: string,
): Promise<ItemVersion | undefined> {
  const [last] = await findVersions(transaction, model, id, { limit: 1 })
  return last
}

/** @param kept an item that has its files still */
async function discardVersions(
  transaction: StoreTransaction,
  model: ModelDescription,
  id: string,
  unit: UnitOfWork,
  removed: StoredItem | undefined,
  kept?: StoredItem,
): Promise<void> {
  const versions = await removeVersions(transaction, { model, id })
  const keys = new Set(
    [...versions, ...(removed ? [removed] : [])].flatMap((item) => Object.values(blobKeysOf(item))),
  )
  for (const key of kept ? Object.values(blobKeysOf(kept)) : []) keys.delete(key)
  unit.discard([...keys])
}
