import type { ModelDescription } from '../../model/model-description.ts'
import { allOf, toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition, type QueryPlan } from '../../query/query-plan.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { internalModel } from '../internal-model.ts'
import { packItem, unpackItem } from '../sql/packed-item.ts'
import type { StoreReader } from '../store-reader.ts'
import type { StoreTransaction } from '../store-transaction.ts'

/** A state of an item, from the write that made it. */
export interface ItemVersion {
  /** 1 for the first version that is kept, and counted on from there. */
  readonly number: number
  /** When the item was written, in milliseconds since 1970; null if nobody kept it then. */
  readonly timeMs: number | null
  /** The id of the caller; null for the service itself, and where nobody kept it. */
  readonly caller: string | null
  /** As it was stored, with hidden members. */
  readonly item: StoredItem
  /**
   * The names, as clients send them, of the members that the write changed; undefined where it did
   * not change the version before, such as that of a create.
   */
  readonly changed: readonly string[] | undefined
}

/** The time of the next version, for the current one, which has none. */
const notReplaced = 8_640_000_000_000_000

/**
 * The internal model of versions. The last version of an item is its current state, so that the
 * time and the caller of each state are known.
 */
export const versionModel: ModelDescription = internalModel(
  'version',
  'versions',
  {
    model: 'string',
    /** The name of the model and the id. */
    subject: 'string',
    number: 'integer',
    replacedMs: 'integer',
    /** JSON of the time, the caller, and the names of changed members. */
    facts: 'string',
    packed: 'string',
  },
  [
    ['subject', '-number'],
    ['model', 'replacedMs'],
  ],
)

/** The newest versions of an item below a number, at most `limit`, the newest first. */
export async function findVersions(
  reader: StoreReader,
  model: ModelDescription,
  id: string,
  { below, limit }: { readonly below?: number | undefined; readonly limit: number },
): Promise<readonly ItemVersion[]> {
  const conditions = [
    isOf(model, id),
    ...(below === undefined ? [] : [compare('number', 'lessThan', below)]),
  ]
  return readVersions(reader, {
    condition: allOf(conditions),
    sort: newestFirst,
    pageRange: { kind: 'offset', offset: 0, limit },
  })
}

/** Adds the state that a write has made. The version before it is replaced from now on. */
export async function addVersion(
  transaction: StoreTransaction,
  model: ModelDescription,
  previous: ItemVersion | undefined,
  { timeMs, caller, item, changed }: Omit<ItemVersion, 'number'>,
): Promise<void> {
  if (previous)
    await transaction.replace(versionModel, versionItem(model, previous, timeMs ?? Date.now(), 2))
  const number = previous ? previous.number + 1 : 1
  const version = { number, timeMs, caller, item, changed }
  const outcome = await transaction.insert(
    versionModel,
    versionItem(model, version, notReplaced, 1),
  )
  if (outcome.kind !== 'written')
    throw new Error(`The version ${number} of '${subjectOf(model, item.id)}' was not written.`)
}

const removedTogether = 200

/**
 * Removes the versions of an item, all or those below a number, or versions of all items of a model
 * that were replaced before a time.
 * @returns what was removed, at most `limit`
 */
export async function removeVersions(
  transaction: StoreTransaction,
  which:
    | { readonly model: ModelDescription; readonly id: string; readonly below?: number }
    | { readonly model: ModelDescription; readonly replacedBeforeMs: number },
  limit: number = Number.POSITIVE_INFINITY,
): Promise<readonly StoredItem[]> {
  const { model } = which
  const condition =
    'id' in which
      ? allOf([
          isOf(model, which.id),
          ...(which.below === undefined ? [] : [compare('number', 'lessThan', which.below)]),
        ])
      : allOf([
          compare('model', 'equal', model.name),
          compare('replacedMs', 'lessThan', which.replacedBeforeMs),
        ])
  const removed: StoredItem[] = []
  for (;;) {
    const versions = await readStored(transaction, {
      condition,
      sort: [],
      pageRange: {
        kind: 'offset',
        offset: 0,
        limit: Math.min(removedTogether, limit - removed.length),
      },
    })
    for (const version of versions) {
      await transaction.remove(versionModel, version.id)
      removed.push(toVersion(version).item)
    }
    if (versions.length < removedTogether) return removed
  }
}

/** The items of all versions that a store keeps. */
export async function* keptItems(reader: StoreReader): AsyncGenerator<readonly StoredItem[]> {
  for await (const batch of reader.list(versionModel, allItemsPlan))
    yield batch.map((stored) => toVersion(stored).item)
}

const newestFirst = [{ path: toFieldPath('number'), direction: 'desc' }] as const

async function readVersions(reader: StoreReader, plan: QueryPlan): Promise<readonly ItemVersion[]> {
  return (await readStored(reader, plan)).map(toVersion)
}

async function readStored(reader: StoreReader, plan: QueryPlan): Promise<readonly StoredItem[]> {
  const page = await reader.page(versionModel, plan)
  const items: StoredItem[] = []
  if (page.entries.length > 0)
    for await (const batch of page.items(page.entries)) items.push(...batch)
  return items
}

function subjectOf({ name }: ModelDescription, id: string): string {
  return `${name}/${id}`
}

function isOf(model: ModelDescription, id: string): Condition {
  return compare('subject', 'equal', subjectOf(model, id))
}

function compare(field: string, operator: 'equal' | 'lessThan', value: string | number): Condition {
  return { kind: 'compare', path: toFieldPath(field), operator, value }
}

function versionItem(
  model: ModelDescription,
  { number, timeMs, caller, item, changed }: ItemVersion,
  replacedMs: number,
  revision: number,
): StoredItem {
  const subject = subjectOf(model, item.id)
  const values = {
    id: `${subject}/${number}`,
    model: model.name,
    subject,
    number,
    replacedMs,
    facts: JSON.stringify([timeMs, caller, ...(changed ? [changed] : [])]),
    packed: packItem(item)!,
  }
  return createStoredItem(versionModel, values, revision)
}

function toVersion(stored: StoredItem): ItemVersion {
  const { model, subject, number, facts, packed } = readStoredValues(versionModel, stored)
  const id = String(subject).slice(String(model).length + 1)
  const [timeMs, caller, changed] = JSON.parse(String(facts))
  return { number: Number(number), timeMs, caller, changed, item: unpackItem(id, packed)! }
}
