import { expect, it } from 'vitest'
import { memory } from './memory/memory.ts'
import { sqlite } from './sqlite/sqlite.ts'
import type { Store } from './store.ts'
import type { StoreReader } from './store-reader.ts'
import { readerOf, wrapStore } from './wrap-store.ts'

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
  const reader: StoreReader = readerOf(store)
  expect(await (reader.find as (...args: unknown[]) => unknown)(1)).toBe(2)
  expect(reader).not.toHaveProperty('insert')
})
