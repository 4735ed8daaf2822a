import { expect, it } from 'vitest'
import { memory } from './memory/memory.ts'
import { sqlite } from './sqlite/sqlite.ts'
import type { Store, StoreTransaction } from './store.ts'
import { readerOf, wrapStore, wrapTransaction } from './wrap-store.ts'

it.each([
  ['memory', memory],
  ['sqlite', () => sqlite('never-opened.db')],
])('a store that is wrapped has every member that %s has, and what is changed', async (_, make) => {
  const store = make()
  const close = async () => {}
  const wrapped = wrapStore(store, { close })
  expect(Object.keys(wrapped).sort()).toEqual(Object.keys(store).sort())
  expect(wrapped.close).toBe(close)
})

it('a wrapped store is asked with all arguments, as itself, where it is an object of a class', async () => {
  class Counting {
    readonly #asked: unknown[][] = []
    find(...given: unknown[]) {
      this.#asked.push(given)
      return this.#asked.length
    }
  }
  const made = new Counting() as unknown as Store
  expect(await (wrapStore(made, {}).find as (...given: unknown[]) => unknown)(1, 2, 3)).toBe(1)
  expect(
    await (readerOf(made as unknown as StoreTransaction).find as (...given: unknown[]) => unknown)(
      1,
    ),
  ).toBe(2)
})

it('a wrapped transaction has every member that the transaction has, and one that is only read no writes', async () => {
  await memory().write(async (transaction) => {
    expect(Object.keys(wrapTransaction(transaction, {})).sort()).toEqual(
      Object.keys(transaction).sort(),
    )
    expect(readerOf(transaction)).not.toHaveProperty('insert')
  })
})
