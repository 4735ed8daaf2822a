import { createRouter, hash, model, type Router, type Store, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { SharedDocumentBudget } from '../../src/document/document-budget.ts'
import { stores } from '../support/stores.ts'

const Author = model(
  'author',
  { name: z.string(), books: toMany('book', { inverse: 'author' }), hash: hash() },
  { ids: 'client' },
)
const Book = model(
  'book',
  { title: z.string(), author: toOne('author', { optional: true }) },
  { ids: 'client' },
)

const count = 6_000
const ids = Array.from({ length: count }, (_, index) => `b${String(index).padStart(5, '0')}`)

/** A store that counts the items that its lists return. */
function counting(store: Store, add: (items: number) => void): Store {
  return {
    ...store,
    async *list(described, plan, caller) {
      for await (const batch of store.list(described, plan, caller)) {
        add(batch.length)
        yield batch
      }
    },
  }
}

const policies = [
  { name: 'JSON:API', policy: jsonApi(), type: 'application/vnd.api+json' },
  { name: 'plain REST', policy: rest(), type: 'application/json' },
]

describe.each(stores)(
  'Documents that include thousands of items, on $name',
  { timeout: 60_000 },
  ({ make }) => {
    describe.each(policies)('under $name', ({ policy, type }) => {
      let read = 0

      async function service(): Promise<Router> {
        const store = counting(await make(), (items) => {
          read += items
        })
        const router = createRouter({ policy, store })
        for (const entry of [Author, Book]) router.prepare(entry)
        await router.load(
          Author,
          ['a', 'few'].map((id) => ({ id, name: id })),
        )
        await router.load(
          Book,
          ids.map((id) => ({ id, title: 'T'.repeat(100), author: 'a' })),
        )
        await router.load(Book, [{ id: 'only', title: 'Only', author: 'few' }])
        read = 0
        return router
      }

      /** Settles once nothing has been read for a while. */
      const stopped = async () => {
        for (let before = -1; before !== read; ) {
          before = read
          await new Promise((resolve) => setTimeout(resolve, 200))
        }
      }

      const sendRequest = (router: Router, path: string, init: RequestInit = {}) =>
        router.handle(
          new Request(`http://localhost${path}`, {
            ...init,
            headers: { accept: type, ...init.headers },
          }),
        )

      const booksIn = (document: unknown): readonly string[] => {
        const { included, books } = document as {
          included?: readonly { id: string }[]
          books?: readonly { id: string }[]
        }
        return (included ?? books ?? []).map((entry) => entry.id)
      }

      it.each(['/authors/a?include=books', '/authors?include=books&page[size]=1'])(
        '%s starts before all of them are read, and contains each once',
        async (path) => {
          const router = await service()
          const reader = (await sendRequest(router, path)).body!.getReader()
          const first = await reader.read()
          expect(first.done).toBe(false)
          expect(read).toBeLessThan(count)
          const chunks = [first.value!]
          for (let next = await reader.read(); !next.done; next = await reader.read())
            chunks.push(next.value)
          expect(booksIn(JSON.parse(Buffer.concat(chunks).toString())).toSorted()).toEqual(ids)
        },
      )

      it('are read no further when the client stops reading', async () => {
        const router = await service()
        const reader = (await sendRequest(router, '/authors/a?include=books')).body!.getReader()
        await reader.read()
        await reader.cancel()
        await stopped()
        expect(read).toBeLessThan(2 * count)
      })

      it('get responses however many readers of other documents have stalled', async () => {
        const router = await service()
        const stalled = await Promise.all(
          Array.from({ length: 8 }, async () => {
            const reader = (await sendRequest(router, '/authors/a?include=books')).body!.getReader()
            await reader.read()
            return reader
          }),
        )
        const document = await (await sendRequest(router, '/authors/a?include=books')).json()
        expect(booksIn(document)).toHaveLength(count)
        for (const reader of stalled) await reader.cancel()
      })

      it('are refused before they start while others use the whole budget', async () => {
        const router = await service()
        const isFull = vi
          .spyOn(SharedDocumentBudget.prototype, 'isFull', 'get')
          .mockReturnValue(true)
        const refused = await sendRequest(router, '/authors/a?include=books')
        isFull.mockRestore()
        expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
        expect(await refused.text()).toContain('overloaded')
        expect(
          booksIn(await (await sendRequest(router, '/authors/a?include=books')).json()),
        ).toHaveLength(count)
      })

      it('leave the budget to others after HEAD, which sends none of them', async () => {
        const router = await service()
        for (let index = 0; index < 100; index++)
          await sendRequest(router, '/authors/a?include=books', { method: 'HEAD' })
        const response = await sendRequest(router, '/authors/a?include=books')
        expect(booksIn(await response.json())).toHaveLength(count)
      })

      it('have an ETag that guards writes, and that no other response has', async () => {
        const router = await service()
        const tags: string[] = []
        for (const method of ['GET', 'GET', 'HEAD']) {
          const response = await sendRequest(router, '/authors/a?include=books', { method })
          await response.text()
          tags.push(response.headers.get('etag')!)
        }
        expect(new Set(tags).size).toBe(3)
        const remove = (etag: string) =>
          sendRequest(router, '/authors/few', { method: 'DELETE', headers: { 'if-match': etag } })
        expect((await remove(tags[0]!)).status).toBe(412)
        const { headers } = await sendRequest(router, '/authors/a')
        expect(tags[0]!.startsWith(headers.get('etag')!.slice(0, -1))).toBe(true)
      })

      it('that include few items are sent whole, with an ETag of their contents', async () => {
        const router = await service()
        const responses = [
          await sendRequest(router, '/authors/few?include=books'),
          await sendRequest(router, '/authors/few?include=books'),
        ]
        const [one, other] = responses.map((response) => response.headers.get('etag'))
        expect(one).toBe(other)
        expect(booksIn(await responses[0]!.json())).toEqual(['only'])
      })
    })
  },
)
