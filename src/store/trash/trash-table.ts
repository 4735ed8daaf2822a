import { createId } from '../../model/id.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { allOf, toFieldPath } from '../../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type QueryPlan,
  type SortKey,
} from '../../query/query-plan.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { internalModel } from '../internal-model.ts'
import { packItem, unpackItem } from '../sql/packed-item.ts'
import type { StoreReader } from '../store-reader.ts'
import type { StoreTransaction } from '../store-transaction.ts'

/** A deleted item. An id may be in the trash several times, each with another time. */
export interface TrashedItem {
  /** The id of the entry, by which the trash has it. */
  readonly key: string
  /** In milliseconds since 1970. */
  readonly deletedMs: number
  /** The id of the caller; null for the service itself. */
  readonly caller: string | null
  /** As it was stored, with hidden members. */
  readonly item: StoredItem
  /** Are the versions that are kept for the id those of this item? */
  readonly ownsVersions: boolean
}

/** The internal model of deleted items. */
export const trashModel: ModelDescription = internalModel(
  'trashed',
  'trash',
  {
    model: 'string',
    /** The name of the model and the id. */
    subject: 'string',
    deletedMs: 'integer',
    caller: 'string',
    ownsVersions: 'boolean',
    packed: 'string',
  },
  [
    ['model', '-deletedMs'],
    ['subject', '-deletedMs'],
  ],
)

/** The items that had the id, at most `limit`, the last deleted first. */
export async function findTrashed(
  reader: StoreReader,
  model: ModelDescription,
  id: string,
  { deletedMs, limit }: { readonly deletedMs?: number | undefined; readonly limit: number },
): Promise<readonly TrashedItem[]> {
  const ofId = equal('subject', subjectOf(model, id))
  return readTrash(reader, {
    condition: deletedMs === undefined ? ofId : allOf([ofId, equal('deletedMs', deletedMs)]),
    sort: lastDeletedFirst,
    pageRange: { kind: 'offset', offset: 0, limit },
  })
}

/** The order of the trash: the last deleted item first. */
const lastDeletedFirst: readonly SortKey[] = Object.freeze([
  { path: toFieldPath('deletedMs'), direction: 'desc' },
])

/** Where an item stands in the trash. */
export interface TrashPosition {
  readonly deletedMs: number
  readonly key: string
}

/** The items that follow a position, at most `limit`. */
export function listTrash(
  reader: StoreReader,
  model: ModelDescription,
  after: TrashPosition | undefined,
  limit: number,
): Promise<readonly TrashedItem[]> {
  return readTrash(reader, {
    condition: equal('model', model.name),
    sort: lastDeletedFirst,
    pageRange: after
      ? { kind: 'after', position: [after.deletedMs, after.key], limit }
      : { kind: 'offset', offset: 0, limit },
  })
}

/**
 * Puts an item into the trash, beside those that had its id before. Their versions ended when the
 * item was created.
 */
export async function addTrashed(
  transaction: StoreTransaction,
  model: ModelDescription,
  { deletedMs, caller, item }: Omit<TrashedItem, 'key' | 'ownsVersions'>,
): Promise<void> {
  const [former] = await findTrashed(transaction, model, item.id, { limit: 1 })
  if (former?.ownsVersions)
    await transaction.replace(trashModel, trashItem(model, { ...former, ownsVersions: false }, 2))
  const added: TrashedItem = {
    key: createId(),
    // Each one can be named by its time.
    deletedMs: former ? Math.max(deletedMs, former.deletedMs + 1) : deletedMs,
    caller,
    item,
    ownsVersions: true,
  }
  const outcome = await transaction.insert(trashModel, trashItem(model, added, 1))
  if (outcome.kind !== 'written')
    throw new Error(`'${subjectOf(model, item.id)}' was not put into the trash.`)
}

export function removeTrashed(
  transaction: StoreTransaction,
  { key }: Pick<TrashedItem, 'key'>,
): Promise<void> {
  return transaction.remove(trashModel, key)
}

/** The items of a model that were deleted before a time, at most `limit`. */
export function trashedBefore(
  reader: StoreReader,
  model: ModelDescription,
  beforeMs: number,
  limit: number,
): Promise<readonly TrashedItem[]> {
  const isOld: Condition = {
    kind: 'compare',
    path: toFieldPath('deletedMs'),
    operator: 'lessThan',
    value: beforeMs,
  }
  return readTrash(reader, {
    condition: allOf([equal('model', model.name), isOld]),
    sort: [],
    pageRange: { kind: 'offset', offset: 0, limit },
  })
}

/** All items that a store keeps in the trash. */
export async function* trashedItems(reader: StoreReader): AsyncGenerator<readonly StoredItem[]> {
  for await (const batch of reader.list(trashModel, allItemsPlan))
    yield batch.map((stored) => toTrashed(stored).item)
}

async function readTrash(reader: StoreReader, plan: QueryPlan): Promise<readonly TrashedItem[]> {
  const page = await reader.page(trashModel, plan)
  const items: TrashedItem[] = []
  if (page.entries.length > 0)
    for await (const batch of page.items(page.entries)) items.push(...batch.map(toTrashed))
  return items
}

function subjectOf({ name }: ModelDescription, id: string): string {
  return `${name}/${id}`
}

function equal(name: string, value: string | number): Condition {
  return { kind: 'compare', path: toFieldPath(name), operator: 'equal', value }
}

function trashItem(
  model: ModelDescription,
  { key, deletedMs, caller, item, ownsVersions }: TrashedItem,
  revision: number,
): StoredItem {
  const values = {
    id: key,
    model: model.name,
    subject: subjectOf(model, item.id),
    deletedMs,
    caller: JSON.stringify(caller),
    ownsVersions,
    packed: packItem(item)!,
  }
  return createStoredItem(trashModel, values, revision)
}

function toTrashed(stored: StoredItem): TrashedItem {
  const values = readStoredValues(trashModel, stored)
  const id = String(values['subject']).slice(String(values['model']).length + 1)
  return {
    key: stored.id,
    deletedMs: Number(values['deletedMs']),
    caller: JSON.parse(String(values['caller'])),
    item: unpackItem(id, values['packed'])!,
    ownsVersions: values['ownsVersions'] === true,
  }
}
