import { createRouter, hash, model, type Router, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ResponseBody } from '../../src/http/api-response.ts'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Scroll = model('scroll', {
  rank: z.int(),
  text: z.string(),
  shelf: toOne('shelf', { optional: true }),
  hash: hash(),
})
const Shelf = model('shelf', { name: z.string(), scrolls: toMany('scroll', { inverse: 'shelf' }) })

const count = 40
/** 4 MiB together, in parts of more than a quarter each. */
const text = 'a'.repeat(100_000)
const scrolls = Array.from({ length: count }, (_, index) => ({
  id: `s-${String(index).padStart(2, '0')}`,
  rank: count - index,
  text: text + index,
  shelf: 'a',
}))
const ids = scrolls.map(({ id }) => id)

describe.each(stores)('A page of large items, on $name', ({ make }) => {
  const routers = async (): Promise<readonly [Router, Router]> => {
    const store: Store = await make()
    const routers = [rest({ jsonLines: true }), jsonApi()].map((policy) => {
      const router = createRouter({ policy, store })
      for (const entry of [Scroll, Shelf]) router.prepare(entry)
      return router
    })
    await routers[0]!.load(Shelf, [{ id: 'a', name: 'A' }])
    await routers[0]!.load(Scroll, scrolls)
    return routers as [Router, Router]
  }

  /** The largest chunk of the response body in bytes, and the whole body. */
  const partsOf = async (router: Router, path: string, accept = '*/*') => {
    const [, query = ''] = path.split('?')
    const request = { method: 'GET', path: path.split('?')[0]!, query, headers: { accept } }
    const { status, body } = await router.respond(request as never)
    let largest = 0
    const parts: Buffer[] = []
    for await (const chunk of chunksOf(body)) {
      parts.push(Buffer.from(chunk))
      largest = Math.max(largest, parts.at(-1)!.length)
    }
    return { status, largest, text: Buffer.concat(parts).toString() }
  }

  it.each([
    ['in the order of ids', 'page[size]=30', ids.slice(0, 30), true],
    ['sorted', 'page[size]=30&sort=rank', ids.toReversed().slice(0, 30), true],
    ['filtered', 'page[size]=100&filter[rank][gt]=5', ids.slice(0, 35), false],
    ['skipping some', 'page[number]=2&page[size]=25', ids.slice(25), false],
    ['with chosen fields', 'page[size]=30&fields[scrolls]=text', ids.slice(0, 30), true],
    ['with what they relate to', 'page[size]=30&include=shelf', ids.slice(0, 30), true],
  ])('has the same %s, sent in small chunks', async (_, query, expected, more) => {
    for (const router of await routers()) {
      const { status, largest, text } = await partsOf(router, `/scrolls?${query}`)
      expect(status).toBe(200)
      const document = JSON.parse(text)
      const items: { id: string }[] = document.scrolls ?? document.data
      expect(items.map(({ id }) => id)).toEqual(expected)
      expect(largest).toBeLessThan(2.5 * 1_048_576)
      if (document.links) expect(document.links.next !== null).toBe(more)
      if (query.includes('include')) expect(document.shelves ?? document.included).toHaveLength(1)
    }
  })

  it('leads to the next page and back by cursors', async () => {
    const [router] = await routers()
    const api = client(router)
    const seen: string[] = []
    let path: string | undefined = '/scrolls?page[size]=15&sort=-rank'
    let last = path
    for (; path; path = (await api.get(path)).link('next')) {
      last = path
      seen.push(...(await api.get(path)).ids('scrolls'))
    }
    expect(seen).toEqual(ids)
    const before = (await api.get(last)).link('prev')!
    expect((await api.get(before)).ids('scrolls')).toEqual(ids.slice(15, 30))
  })

  it('is sent as JSON Lines too', async () => {
    const [router] = await routers()
    const { text, largest } = await partsOf(router, '/scrolls?page[size]=30', 'application/jsonl')
    expect(text.trim().split('\n')).toHaveLength(30)
    expect(largest).toBeLessThan(2.5 * 1_048_576)
  })

  it('includes large items in small batches, through relations of either side', async () => {
    const [, documents] = await routers()
    for (const query of ['include=scrolls', 'include=scrolls&page[size]=10']) {
      const { text, largest } = await partsOf(documents, `/shelves?${query}`)
      expect(JSON.parse(text).included.map(({ id }: { id: string }) => id)).toEqual(ids)
      expect(largest).toBeLessThan(2.5 * 1_048_576)
    }
  })
})

async function* chunksOf(body: ResponseBody): AsyncGenerator<string | Uint8Array> {
  if (body.kind === 'text') yield body.text
  if (body.kind === 'bytes') yield body.bytes
  if (body.kind === 'buffers') yield Buffer.concat(body.buffers)
  if (body.kind === 'stream') yield* body.chunks
}
