import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { internalModel } from '../../store/internal-model.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** What the store keeps of a consumer. */
export interface ConsumerRow {
  /** Where it reads on; empty for the first change that the log keeps. */
  readonly position: string
  /** Which process holds it, and since when; empty if none does. */
  readonly owner: string
  /** Counts the writes of its owners. Others take over when it stands still. */
  readonly beat: number
  /** How often the change after the position has failed. */
  readonly attempts: number
  /** What failed last; empty if nothing has. */
  readonly error: string
  /** In milliseconds since 1970. */
  readonly errorAtMs: number
  /** How many changes were ever put aside: the next one gets this number. */
  readonly asideCount: number
  /** How often it was asked to repeat the changes that are put aside, and how often it has. */
  readonly repeatsAsked: number
  readonly repeatsDone: number
}

/** The internal model of consumers. The id is the name. */
export const consumerModel: ModelDescription = internalModel('consumer', 'consumers', {
  position: 'string',
  owner: 'string',
  beat: 'integer',
  attempts: 'integer',
  error: 'string',
  errorAtMs: 'integer',
  asideCount: 'integer',
  repeatsAsked: 'integer',
  repeatsDone: 'integer',
})

export async function findConsumer(
  reader: StoreReader,
  name: string,
): Promise<ConsumerRow | undefined> {
  const item = await reader.find(consumerModel, idEquals(name))
  return item && rowOf(item)
}

/** All consumers that ever ran over the store, by name. */
export async function listConsumers(
  reader: StoreReader,
): Promise<ReadonlyMap<string, ConsumerRow>> {
  const rows = new Map<string, ConsumerRow>()
  for await (const batch of reader.list(consumerModel, allItemsPlan))
    for (const item of batch) rows.set(item.id, rowOf(item))
  return rows
}

/** Stores where a new consumer begins, unless another process has. */
export async function insertConsumer(
  transaction: StoreTransaction,
  name: string,
  position: string,
): Promise<void> {
  const row: ConsumerRow = {
    position,
    owner: '',
    beat: 0,
    attempts: 0,
    error: '',
    errorAtMs: 0,
    asideCount: 0,
    repeatsAsked: 0,
    repeatsDone: 0,
  }
  await transaction.insert(consumerModel, createStoredItem(consumerModel, { id: name, ...row }, 1))
}

/**
 * Changes a consumer. Two transactions that do so wait for one another.
 * @param change returns undefined to leave it as it is
 * @returns the row as it is then; undefined if there is none
 */
export async function changeConsumer(
  transaction: StoreTransaction,
  name: string,
  change: (row: ConsumerRow) => ConsumerRow | undefined,
): Promise<ConsumerRow | undefined> {
  await transaction.locks?.lockForWrite(() => [{ model: consumerModel, ids: [name] }])
  const item = await transaction.find(consumerModel, idEquals(name))
  if (!item) return undefined
  const row = rowOf(item)
  const changed = change(row)
  if (!changed) return row
  const values = { id: name, ...changed }
  const outcome = await transaction.replace(
    consumerModel,
    createStoredItem(consumerModel, values, item.revision + 1),
  )
  if (outcome.kind !== 'written')
    throw new Error(`The position of the consumer '${name}' cannot be stored: ${outcome.kind}.`)
  return changed
}

function rowOf(item: StoredItem): ConsumerRow {
  const { id: _, ...row } = readStoredValues(consumerModel, item)
  return row as unknown as ConsumerRow
}
