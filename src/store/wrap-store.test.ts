import { expect, it } from 'vitest'
import { memory } from './memory/memory.ts'
import { sqlite } from './sqlite/sqlite.ts'
import type { Store } from './store.ts'
import type {
  StoreTransaction,
  TransactionFastPaths,
  TransactionLocks,
} from './store-transaction.ts'
import { readerOf, TransactionWrapper, wrapStore } from './wrap-store.ts'

it.each([
  ['memory', memory],
  ['sqlite', () => sqlite('never-opened.db')],
])('a wrapped store has every member of %s, and the replacements', async (_, make) => {
  const store = make()
  const close = async () => {}
  const wrapped = wrapStore(store, { close })
  expect(Object.keys(wrapped).sort()).toEqual(Object.keys(store).sort())
  expect(wrapped.close).toBe(close)
})

it('a method of a wrapped store gets all arguments and its own `this`', async () => {
  class Counting {
    readonly #calls: unknown[][] = []
    find(...args: unknown[]) {
      this.#calls.push(args)
      return this.#calls.length
    }
  }
  const store = new Counting() as unknown as Store
  expect(await (wrapStore(store, {}).find as (...args: unknown[]) => unknown)(1, 2, 3)).toBe(1)
  expect(
    await (readerOf(store as unknown as StoreTransaction).find as (...args: unknown[]) => unknown)(
      1,
    ),
  ).toBe(2)
})

it('a wrapped transaction passes on every call with all arguments, and a reader of it no writes', () => {
  const calls: unknown[][] = []
  const inner = new Proxy({} as StoreTransaction, {
    get: (_, name, receiver) =>
      name === 'fastPaths' || name === 'locks'
        ? receiver
        : (...args: unknown[]) => calls.push([name, ...args]),
  })
  const wrapper = new TransactionWrapper(inner)
  type Groups = TransactionFastPaths & TransactionLocks
  type Method = Exclude<keyof StoreTransaction, 'requestRecords' | 'fastPaths' | 'locks'>
  const argumentCounts: Record<Method | keyof Groups, number> = {
    find: 3,
    list: 3,
    page: 3,
    count: 3,
    countEach: 1,
    expectCounts: 1,
    lockItems: 2,
    lockForWrite: 1,
    relatedPages: 5,
    insert: 3,
    replace: 3,
    remove: 2,
  }
  const passed = Object.entries(argumentCounts).map(([name, count]) => [
    name,
    ...['a', 'b', 'c', 'd', 'e'].slice(0, count),
  ])
  for (const [name, ...args] of passed)
    (wrapper[name as keyof typeof argumentCounts] as (...args: unknown[]) => unknown)(...args)
  expect(calls).toEqual(passed)
  expect(readerOf(wrapper)).not.toHaveProperty('insert')
})

it('a wrapped transaction has every member of a transaction', async () => {
  await memory().write(async (transaction) => {
    for (const name of Object.keys(transaction))
      expect(new TransactionWrapper(transaction)).toHaveProperty(name)
  })
})
