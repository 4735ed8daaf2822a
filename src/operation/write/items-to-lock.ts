import { memoizeBy } from '../../cache/memoize-by.ts'
import type { MaybePromise } from '../../concurrency/maybe-promise.ts'
import { isMadeOfRollup } from '../../model/made-of-rollup.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { always, andAlso, idIsAnyOf, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import { linksOfChild, type RollupLink } from '../../store/rollups/rollup-links.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { ItemIds } from '../../store/store-transaction.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** Items that a transaction will write. */
export interface ItemsToWrite {
  readonly model: ModelDescription
  /** Default: all that satisfy the condition. */
  readonly ids?: readonly string[]
  /** Default: none. */
  readonly condition?: Condition
  readonly change: 'write' | 'remove'
  /** The members that a write changes. Default: any. */
  readonly members?: ReadonlySet<string>
  /** `false`: the request does not name them, so nothing limits their number. */
  readonly isNamed?: false
}

/** Items to read, because others are written with them. */
interface ItemsToRead {
  readonly model: ModelDescription
  readonly condition: Condition
  /** How many of those that the request writes there are, if all are there. */
  readonly expectedCount?: number
  /** `rollup`: nothing but their rollups changes. */
  readonly change: ItemsToWrite['change'] | 'rollup'
  readonly members?: ItemsToWrite['members']
}

type LockedIds = Map<ModelDescription, Set<string>>

/**
 * Where more would be locked, only those that the request names are locked beforehand. The rest
 * relies on running again after a deadlock.
 */
const maxLockedItems = 10_000

/** What is locked if one of the items is missing, or if the caller may not write it. */
export type IfMissing = 'lockOthers' | 'lockNone'

/**
 * The items to lock before the first of these is read. An item with rollups comes after the items
 * of its relations, whose writers lock them first, so these are locked too, and with them all whose
 * rollups change. The lock looks for them again once it has them: others may have changed what
 * relates to what.
 */
export function itemsToLock(
  reader: StoreReader,
  written: readonly ItemsToWrite[],
  ifMissing: IfMissing = 'lockOthers',
): MaybePromise<readonly ItemIds[]> {
  return ifMissing === 'lockNone' || written.some(locksBefore)
    ? collectItems(reader, written, ifMissing)
    : namedItems(written)
}

function namedItems(written: readonly ItemsToWrite[]): readonly ItemIds[] {
  return written.flatMap(({ ids, isNamed, ...items }) =>
    ids && isNamed !== false ? { ...items, ids } : [],
  )
}

/** Would these items be locked before items that their rollups are made of? */
export function locksBefore({ model, change }: ItemsToWrite): boolean {
  return change === 'remove' ? removesRollups(model) : model.rollupFields.length > 0
}

/** Does it remove an item with rollups: one of the model, or one that refers to it? */
const removesRollups: (model: ModelDescription) => boolean = memoizeBy(
  (model: ModelDescription): boolean => {
    const models = new Set([model])
    for (const { inboundRelations } of models)
      for (const { owner, relation } of inboundRelations)
        if (relation.kind === 'toOne' && relation.onDelete === 'cascade') models.add(owner)
    return [...models].some(({ rollupFields }) => rollupFields.length > 0)
  },
)

async function collectItems(
  reader: StoreReader,
  written: readonly ItemsToWrite[],
  ifMissing: IfMissing,
): Promise<readonly ItemIds[]> {
  const locked: LockedIds = new Map()
  const removed: LockedIds = new Map()
  const queue: ItemsToRead[] = written.map(({ ids, condition = always, ...items }) => ({
    ...items,
    condition: ids ? andAlso(idIsAnyOf(ids), condition) : condition,
    ...(ids && ifMissing === 'lockNone' && { expectedCount: ids.length }),
  }))
  let count = 0
  // What is found appends to it.
  for (const read of queue) {
    const { model, condition, change, expectedCount } = read
    // The others decide whether any is locked.
    if (count > maxLockedItems && expectedCount === undefined) continue
    let foundCount = 0
    for await (const items of reader.list(model, { ...allItemsPlan, condition })) {
      foundCount += items.length
      const ids = items.map(({ id }) => id)
      if (count <= maxLockedItems) count += addNew(locked, model, ids).length
      if (count > maxLockedItems) {
        if (expectedCount === undefined) break
        continue
      }
      if (change === 'remove') queue.push(...referringItems(model, addNew(removed, model, ids)))
      queue.push(...itemsWithRollups(read, items, locked))
    }
    if (expectedCount !== undefined && foundCount < expectedCount) return []
  }
  if (count > maxLockedItems) return namedItems(written)
  return Array.from(locked, ([model, ids]) => ({ model, ids: [...ids] }))
}

/** @returns those that are new */
function addNew(
  idsOf: LockedIds,
  model: ModelDescription,
  ids: readonly string[],
): readonly string[] {
  const known = idsOf.get(model) ?? new Set()
  idsOf.set(model, known)
  const added = ids.filter((id) => !known.has(id))
  for (const id of added) known.add(id)
  return added
}

/** Those that a removal changes, or removes too. */
function referringItems(
  { inboundRelations }: ModelDescription,
  ids: readonly string[],
): readonly ItemsToRead[] {
  if (ids.length === 0) return []
  return inboundRelations.flatMap(({ owner, relation }): ItemsToRead | readonly [] => {
    const { name, kind } = relation
    const onDelete = relation.kind === 'toOne' ? relation.onDelete : 'set-null'
    if (onDelete === 'restrict') return []
    const condition = relatesToAny(name, kind, ids)
    if (onDelete === 'cascade') return { model: owner, condition, change: 'remove' }
    return { model: owner, condition, change: 'write', members: new Set([name]) }
  })
}

/** Those whose rollups change with these items. */
function itemsWithRollups(
  read: ItemsToRead,
  items: readonly StoredItem[],
  locked: LockedIds,
): readonly ItemsToRead[] {
  return linksOfChild(read.model).flatMap((link): ItemsToRead | readonly [] => {
    if (!mayChange(link, read)) return []
    const ids = new Set(items.flatMap((item) => linkedIds(linkageOf(item), link.relation)))
    const others = [...ids].filter((id) => !locked.get(link.parent)?.has(id))
    if (others.length === 0) return []
    return { model: link.parent, condition: idIsAnyOf(others), change: 'rollup' }
  })
}

/** May the rollups of the link change with such items? */
function mayChange(link: RollupLink, { change, members }: ItemsToRead): boolean {
  if (change === 'rollup') return isOverRollups(link)
  if (!members || change === 'remove' || members.has(link.relation.name)) return true
  // Derived values and hooks may change what is added up. A number of items stays as it is.
  return link.fields.some(({ computed: { source } }) => source !== undefined)
}

function isOverRollups({ child, fields }: RollupLink): boolean {
  return fields.some(({ computed: { source } }) => source && isMadeOfRollup(child, source))
}
