import { createRouter, model, type Store } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { StoredItem } from '../../src/stored-item/stored-item.ts'
import { sqliteStore, stores } from '../support/stores.ts'

const Line = model('line', { text: z.string() })
const lines = Array.from({ length: 2_000 }, (_, index) => ({
  id: `l-${String(index).padStart(5, '0')}`,
  text: 'x'.repeat(500),
}))

async function responseOf(store: Store) {
  const router = createRouter({ policy: jsonApi(), store })
  router.prepare(Line)
  await router.load(Line, lines)
  const sendRequest = async () =>
    (await (await router.handle(new Request('http://localhost/lines'))).json()) as {
      data: unknown[]
    }
  return { router, ask: sendRequest }
}

describe('A list that is written item by item', () => {
  it('frees each batch of SQLite once it is written, whatever generators reference', async () => {
    const store = await sqliteStore.make()
    const batches: (readonly StoredItem[])[] = []
    let items = 0
    const { router, ask } = await responseOf({
      ...store,
      async *list(described, plan, caller) {
        for await (const batch of store.list(described, plan, caller)) {
          batches.push(batch)
          items += batch.length
          yield batch
        }
      },
    })
    expect((await ask()).data).toHaveLength(lines.length)
    expect(items).toBe(lines.length)
    expect(batches.length).toBeGreaterThan(5)
    expect(batches.every((batch) => batch.length === 0)).toBe(true)
    await router.close()
  })

  it.each(stores)('keeps batches that a store may need again, on $name', async ({ make }) => {
    const store = await make()
    const batches: (readonly StoredItem[])[] = []
    const { router, ask } = await responseOf({
      ...store,
      async *list(described, plan, caller) {
        if (batches.length === 0)
          for await (const batch of store.list(described, plan, caller)) batches.push([...batch])
        yield* batches
      },
    })
    const first = await ask()
    expect(first.data).toHaveLength(lines.length)
    expect(await ask()).toEqual(first)
    await router.close()
  })
})
