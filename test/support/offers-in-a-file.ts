import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { derived } from '../../src/model/declare/derived.ts'
import { type AnyModel, model } from '../../src/model/declare/model.ts'
import { describeModels } from '../../src/model/describe/describe-models.ts'
import type { ModelDescription } from '../../src/model/model-description.ts'
import { toFieldPath } from '../../src/query/conditions.ts'
import { allItemsPlan } from '../../src/query/query-plan.ts'
import { type Database, loadDriver } from '../../src/store/sqlite/driver.ts'
import { sqlite } from '../../src/store/sqlite/sqlite.ts'
import type { Store } from '../../src/store/store.ts'
import { createStoredItem, readStoredValues } from '../../src/stored-item/create-stored-item.ts'
import { withDerivedValues } from '../../src/stored-item/derived-values.ts'
import type { StoredValues } from '../../src/stored-item/stored-item.ts'
import { temporaryFile } from './sqlite-bookshelf.ts'

export const one = (of: AnyModel): ModelDescription => describeModels([of])[0]!

/** So many that the first batch has not all of them. */
export const itemCount = 600

export const offerFields = { price: z.number(), cost: z.number() }

/** Multiplies by the version. */
export const total = (
  version: number,
  compute = ({ price }: { price: number }) => price * version,
) => derived({ from: ['price'], schema: z.number(), compute, version, index: true })

export const offer = (version: number, compute?: Parameters<typeof total>[1]) =>
  one(model('offer', { ...offerFields, total: total(version, compute) }))

export function storeOf(file: string): Store {
  const store = sqlite(file, { durability: 'normal' })
  onTestFinished(() => store.close())
  return store
}

export const itemOf = (of: ModelDescription, values: StoredValues, revision = 1) =>
  createStoredItem(of, withDerivedValues(of, values), revision)

export const idOf = (index: number) => `o${String(index).padStart(4, '0')}`

export async function fileWithOffers(of = offer(1)): Promise<{ file: string; old: Store }> {
  const file = temporaryFile()
  const old = storeOf(file)
  await old.open([of])
  await old.write(async (transaction) => {
    for (let index = 0; index < itemCount; index++)
      await transaction.insert(of, itemOf(of, { id: idOf(index), price: index + 1, cost: 1 }))
  })
  return { file, old }
}

export async function connectionTo(file: string): Promise<Database> {
  const database = (await loadDriver()).open(file, { readOnly: false })
  onTestFinished(() => database.close())
  return database
}

interface Values extends StoredValues {
  readonly revision: number
  readonly total?: unknown
  readonly price?: unknown
}

export async function valuesOf(store: Store, of: ModelDescription): Promise<Map<string, Values>> {
  const values = new Map<string, Values>()
  for await (const items of store.list(of, allItemsPlan))
    for (const item of items)
      values.set(item.id, { ...readStoredValues(of, item), revision: item.revision })
  return values
}

export const countWithTotal = (store: Store, of: ModelDescription, value: number) =>
  store.count(of, { kind: 'compare', path: toFieldPath('total'), operator: 'equal', value })

export const namesIn = (database: Database): readonly unknown[] =>
  database
    .prepare("select name from sqlite_schema where type in ('table', 'trigger') order by name")
    .all([])
    .map(([name]) => name)

export const notesIn = (database: Database): readonly unknown[] =>
  database
    .prepare("select key from _layout where key like 'recomputing%'")
    .all([])
    .map(([key]) => key)

/** Opens the store until the first batch is done, as if its process ended then. */
export async function abandon(file: string, of: ModelDescription): Promise<void> {
  const onProgress = () => {
    throw new Error('ended')
  }
  await expect(storeOf(file).open([of], { onProgress })).rejects.toThrow('ended')
}

/** What a start does, by its progress. */
export async function stepsOf(store: Store, of: ModelDescription): Promise<ReadonlySet<string>> {
  const steps = new Set<string>()
  await store.open([of], { onProgress: ({ step }) => steps.add(step) })
  return steps
}

export const inBatches = "Filling in 'total' of 'offers'"
export const atOnce = "Bringing 'offers' into the form of the model"
