import type { ModelDescription } from '../../model/model-description.ts'
import { toFieldPath } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import { internalModel } from '../../store/internal-model.ts'
import { packItem, unpackItem } from '../../store/sql/packed-item.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { KeptEntry } from './change.ts'

/** A change that a consumer has put aside. It is a copy: the log may lose the change meanwhile. */
export interface AsideChange {
  /** The id of the row. */
  readonly key: string
  /** The order in which changes were put aside, which is that of the log. */
  readonly number: number
  readonly entry: KeptEntry
  /** How often it was given; 0 if it only waits behind another change of the item. */
  readonly attempts: number
  /** What failed last; empty for one that waits. */
  readonly error: string
}

/** The internal model of changes that are put aside. */
export const asideModel: ModelDescription = internalModel('consumerAside', 'consumer_asides', {
  consumer: { type: 'string', isIndexed: true },
  number: 'integer',
  model: 'string',
  item: { type: 'string', isIndexed: true },
  kind: 'string',
  position: 'string',
  transaction: 'string',
  caller: 'string',
  timeMs: 'integer',
  before: 'string',
  after: 'string',
  attempts: 'integer',
  error: 'string',
})

/** What a consumer has put aside, in the order of the log. */
export async function listAside(
  reader: StoreReader,
  consumer: string,
): Promise<readonly AsideChange[]> {
  const changes: AsideChange[] = []
  const condition: Condition = fieldEquals('consumer', consumer)
  for await (const batch of reader.list(asideModel, { ...allItemsPlan, condition }))
    for (const item of batch) changes.push(asideOf(item))
  return changes.toSorted((one, other) => one.number - other.number)
}

export async function insertAside(
  transaction: StoreTransaction,
  consumer: string,
  aside: Omit<AsideChange, 'key'>,
): Promise<void> {
  const values = valuesOf(consumer, { ...aside, key: `${consumer}:${aside.number}` })
  const outcome = await transaction.insert(asideModel, createStoredItem(asideModel, values, 1))
  if (outcome.kind !== 'written')
    throw new Error(`The consumer '${consumer}' cannot put a change aside: ${outcome.kind}.`)
}

export async function replaceAside(
  transaction: StoreTransaction,
  consumer: string,
  aside: AsideChange,
): Promise<void> {
  const values = valuesOf(consumer, aside)
  await transaction.replace(asideModel, createStoredItem(asideModel, values, 2))
}

export function removeAside(transaction: StoreTransaction, { key }: AsideChange): Promise<void> {
  return transaction.remove(asideModel, key)
}

/** Removes what any consumer has put aside of an item. @returns the number */
export async function eraseAside(
  transaction: StoreTransaction,
  model: string,
  id: string,
): Promise<number> {
  const keys: string[] = []
  const condition = fieldEquals('item', id)
  for await (const batch of transaction.list(asideModel, { ...allItemsPlan, condition }))
    for (const item of batch)
      if (readStoredValues(asideModel, item).model === model) keys.push(item.id)
  for (const key of keys) await transaction.remove(asideModel, key)
  return keys.length
}

function fieldEquals(name: string, value: string): Condition {
  return { kind: 'oneOf', path: toFieldPath(name), values: [value] }
}

function valuesOf(consumer: string, { key, entry, ...aside }: AsideChange): StoredValues {
  const { kind, model, id, position, transaction, caller, timeMs, before, after } = entry
  return {
    ...aside,
    id: key,
    consumer,
    model,
    item: id,
    kind,
    position,
    transaction,
    // Null would be no value in tables, and empty is no caller.
    caller: caller ?? '',
    timeMs,
    before: packItem(before) ?? '',
    after: packItem(after) ?? '',
  }
}

function asideOf(item: StoredItem): AsideChange {
  const row = readStoredValues(asideModel, item) as unknown as AsideRow
  const { number, attempts, error, model, kind, position, transaction, timeMs } = row
  const unpacked = (text: string) => unpackItem(row.item, text === '' ? null : text)
  const entry: KeptEntry = {
    kind,
    model,
    id: row.item,
    position,
    transaction,
    caller: row.caller === '' ? null : row.caller,
    timeMs,
    before: unpacked(row.before),
    after: unpacked(row.after),
  }
  return { key: item.id, number, attempts, error, entry }
}

type AsideRow = Pick<AsideChange, 'number' | 'attempts' | 'error'> &
  Pick<KeptEntry, 'kind' | 'model' | 'position' | 'transaction' | 'timeMs'> & {
    readonly item: string
    readonly caller: string
    readonly before: string
    readonly after: string
  }
