import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  allItemsPlan,
  always,
  type Condition,
  type ModelDescription,
  type PageRange,
  type QueryPlan,
  type SortKey,
  type Store,
  type StoredItem,
  type StoredValues,
  type StoreOpenOptions,
  type StoreReader,
} from '../../store/public.ts'
import { itemOf, models } from './models.ts'

/** Creates an empty store; `dispose` closes it and removes its data. */
export type OpenStore = () => Promise<{ store: Store; dispose(): Promise<void> }>

/** Items by model, in the order in which they are inserted. */
export type World = readonly (readonly [ModelDescription, readonly StoredValues[]])[]

/** How the sections of the contract declare their tests. */
export interface Suite {
  /** The titles of the tests declared so far. */
  readonly titles: ReadonlySet<string>
  /** A test with an empty store of its own, opened with the models of the suite by default. */
  alone(
    title: string,
    body: (store: Store) => Promise<void>,
    opened?: readonly ModelDescription[],
    options?: StoreOpenOptions,
  ): void
  /** Tests that only read, and share one store. */
  reading(title: string, world: World, declare: (test: ReadingTest) => void): void
}

type ReadingTest = (title: string, body: (store: Store) => Promise<void>) => void

/** @param skipReasonOf why the store skips the test with a title; undefined if it does not */
export function suiteOf(
  open: OpenStore,
  skipReasonOf: (title: string) => string | undefined,
): Suite {
  const titles = new Set<string>()
  const declare = (title: string, body: () => Promise<void>) => {
    titles.add(title)
    const reason = skipReasonOf(title)
    if (reason === undefined) test(title, body, 30_000)
    else test.skip(`${title} (skipped: ${reason})`, body)
  }
  return {
    titles,
    alone(title, body, opened = models, options) {
      declare(title, async () => {
        const { store, dispose } = await open()
        try {
          await store.open(opened, options)
          await body(store)
        } finally {
          await dispose()
        }
      })
    },
    reading(title, world, tests) {
      describe(title, () => {
        let current: Awaited<ReturnType<OpenStore>>
        beforeAll(async () => {
          current = await open()
          await current.store.open(models)
          await insertAll(current.store, world)
        })
        afterAll(() => current.dispose())
        tests((name, body) => declare(name, () => body(current.store)))
      })
    },
  }
}

export async function insertAll(store: Store, world: World): Promise<void> {
  await store.write(async (transaction) => {
    for (const [model, items] of world) {
      for (const values of items) {
        expect(await transaction.insert(model, itemOf(model, values))).toMatchObject({
          kind: 'written',
        })
      }
    }
  })
}

/** Replaces all items of these models. */
export async function refill(store: Store, world: World): Promise<void> {
  await store.write(async (transaction) => {
    for (const [model, items] of world) {
      for (const id of await idsOf(transaction, model, planOf()))
        await transaction.remove(model, id)
      for (const values of items) await transaction.insert(model, itemOf(model, values))
    }
  })
}

/** Inserts one item in a transaction of its own. */
export async function insert(
  store: Store,
  model: ModelDescription,
  values: StoredValues,
): Promise<void> {
  await insertAll(store, [[model, [values]]])
}

export function planOf(
  condition: Condition = always,
  sort: readonly SortKey[] = [],
  window: PageRange = allItemsPlan.pageRange,
): QueryPlan {
  return { condition, sort, pageRange: window }
}

export async function listed(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
): Promise<StoredItem[]> {
  const items: StoredItem[] = []
  for await (const batch of store.list(model, plan)) {
    expect(batch.length).toBeGreaterThan(0)
    items.push(...batch)
  }
  return items
}

export async function pageItems(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
): Promise<StoredItem[]> {
  const { entries, items } = await store.page(model, plan)
  const found: StoredItem[] = []
  for await (const batch of items(entries)) found.push(...batch)
  expect(found.map(({ id }) => id)).toEqual(entries.map(({ id }) => id))
  return found
}

export async function idsOf(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
): Promise<string[]> {
  return (await listed(store, model, plan)).map((item) => item.id)
}

/**
 * The ids of the items that satisfy the condition, in order; `count` is checked too, because stores
 * count with other statements.
 */
export async function matching(
  store: StoreReader,
  model: ModelDescription,
  condition: Condition,
): Promise<string[]> {
  const ids = await idsOf(store, model, planOf(condition))
  expect(await store.count(model, condition)).toBe(ids.length)
  return ids
}
