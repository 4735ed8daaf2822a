import type { ModelDescription } from '../../model/model-description.ts'
import { allOf, idEquals, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition, type SortKey } from '../../query/query-plan.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { internalModel } from '../internal-model.ts'
import { packItem, unpackItem } from '../sql/packed-item.ts'
import type { StoreReader } from '../store-reader.ts'
import type { StoreTransaction } from '../store-transaction.ts'

/** A deleted item. */
export interface TrashedItem {
  /** In milliseconds since 1970. */
  readonly deletedMs: number
  /** The id of the caller; null for the service itself. */
  readonly caller: string | null
  /** As it was stored, with hidden members. */
  readonly item: StoredItem
}

/** The internal model of deleted items. The trash has one item for each id: the last deleted. */
export const trashModel: ModelDescription = internalModel(
  'trashed',
  'trash',
  {
    model: 'string',
    deletedMs: 'integer',
    caller: 'string',
    packed: 'string',
  },
  [['model', '-deletedMs']],
)

export async function findTrashed(
  reader: StoreReader,
  model: ModelDescription,
  id: string,
): Promise<TrashedItem | undefined> {
  const stored = await reader.find(trashModel, idEquals(trashId(model, id)))
  return stored && toTrashed(stored)
}

/** The order of the trash: the last deleted item first. */
const lastDeletedFirst: readonly SortKey[] = Object.freeze([
  { path: toFieldPath('deletedMs'), direction: 'desc' },
])

/** Where an item stands in the trash. */
export interface TrashPosition {
  readonly deletedMs: number
  readonly id: string
}

/** The items that follow a position, at most `limit`. */
export async function listTrash(
  reader: StoreReader,
  model: ModelDescription,
  after: TrashPosition | undefined,
  limit: number,
): Promise<readonly TrashedItem[]> {
  const page = await reader.page(trashModel, {
    condition: isOf(model),
    sort: lastDeletedFirst,
    pageRange: after
      ? {
          kind: 'after',
          position: [after.deletedMs, trashId(model, after.id)],
          limit,
        }
      : { kind: 'offset', offset: 0, limit },
  })
  const items: TrashedItem[] = []
  if (page.entries.length > 0)
    for await (const batch of page.items(page.entries)) items.push(...batch.map(toTrashed))
  return items
}

/** @returns the item with the same id that it takes the place of */
export async function addTrashed(
  transaction: StoreTransaction,
  model: ModelDescription,
  { deletedMs, caller, item }: TrashedItem,
): Promise<StoredItem | undefined> {
  const previous = await findTrashed(transaction, model, item.id)
  if (previous) await removeTrashed(transaction, model, item.id)
  const values = {
    id: trashId(model, item.id),
    model: model.name,
    deletedMs,
    caller: JSON.stringify(caller),
    packed: packItem(item)!,
  }
  const outcome = await transaction.insert(trashModel, createStoredItem(trashModel, values, 1))
  if (outcome.kind !== 'written') throw new Error(`'${values.id}' was not put into the trash.`)
  return previous?.item
}

export function removeTrashed(
  transaction: StoreTransaction,
  model: ModelDescription,
  id: string,
): Promise<void> {
  return transaction.remove(trashModel, trashId(model, id))
}

/** The items of a model that were deleted before a time, at most `limit`. */
export async function trashedBefore(
  reader: StoreReader,
  model: ModelDescription,
  beforeMs: number,
  limit: number,
): Promise<readonly StoredItem[]> {
  const page = await reader.page(trashModel, {
    condition: allOf([
      isOf(model),
      {
        kind: 'compare',
        path: toFieldPath('deletedMs'),
        operator: 'lessThan',
        value: beforeMs,
      },
    ]),
    sort: [],
    pageRange: { kind: 'offset', offset: 0, limit },
  })
  const items: StoredItem[] = []
  if (page.entries.length > 0)
    for await (const batch of page.items(page.entries))
      items.push(...batch.map((stored) => toTrashed(stored).item))
  return items
}

/** All items that a store keeps in the trash. */
export async function* trashedItems(reader: StoreReader): AsyncGenerator<readonly StoredItem[]> {
  for await (const batch of reader.list(trashModel, allItemsPlan))
    yield batch.map((stored) => toTrashed(stored).item)
}

function trashId({ name }: ModelDescription, id: string): string {
  return `${name}/${id}`
}

function isOf({ name }: ModelDescription): Condition {
  return { kind: 'compare', path: toFieldPath('model'), operator: 'equal', value: name }
}

function toTrashed(stored: StoredItem): TrashedItem {
  const { model, deletedMs, caller, packed } = readStoredValues(trashModel, stored)
  const id = stored.id.slice(String(model).length + 1)
  return {
    deletedMs: Number(deletedMs),
    caller: JSON.parse(String(caller)),
    item: unpackItem(id, packed)!,
  }
}
