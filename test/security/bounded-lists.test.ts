import { createRouter, hash, type IQuery, type Middleware, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Shelf = model('shelf', { name: z.string(), notes: toMany('note', { inverse: 'shelf' }) })
const Note = model('note', {
  rank: z.int(),
  shelf: toOne('shelf', { optional: true }),
  hash: hash(),
})

/** Ten notes, two of each rank; ranks fall while ids rise. */
const notes = Array.from({ length: 10 }, (_, index) => ({
  id: `n-${index}`,
  rank: Math.floor((9 - index) / 2),
  shelf: 's',
}))
const byId = notes.map(({ id }) => id)

describe.each(stores)(
  'limit and skip of a hook bound the list for the caller, on $name',
  ({ make }) => {
    const reported: unknown[] = []
    const guarded = async (query: NonNullable<Middleware['query']>) => {
      reported.length = 0
      const { router } = service(await make(), [], { onError: (error) => reported.push(error) })
      router.prepare(Shelf)
      router.prepare(Note).use({ query })
      await router.load(Shelf, [{ id: 's', name: 's' }])
      await router.load(Note, notes)
      return { api: client(router), router }
    }

    const bound = (query: IQuery) => query.skip(2).limit(5)
    const ranked = ['n-8', 'n-9', 'n-6', 'n-7', 'n-4', 'n-5', 'n-2', 'n-3', 'n-0', 'n-1'].slice(
      2,
      7,
    )

    it.each([
      ['page[number]=1&page[size]=2', byId.slice(2, 7)],
      ['page[offset]=0&page[limit]=2', byId.slice(2, 7)],
      ['page[size]=2', byId.slice(2, 7)],
      ['page[size]=5', byId.slice(2, 7)],
      ['page[size]=9', byId.slice(2, 7)],
      ['page[number]=1&page[size]=2&sort=rank', ranked],
      ['page[offset]=0&page[limit]=3&sort=rank', ranked],
      ['page[size]=1&sort=rank', ranked],
      ['page[size]=2&sort=rank', ranked],
    ])('%s pages and counts within them, forwards and backwards', async (start, expected) => {
      const { api } = await guarded({ getList: bound })
      const seen: (readonly string[])[] = []
      let path: string | undefined = `/notes?${start}&withCount=true`
      let last = path
      for (; path && seen.length < 20; path = (await api.get(path)).link('next')) {
        last = path
        const page = await api.get(path)
        expect(page.at('/meta/page/total')).toBe(5)
        seen.push(page.ids('notes'))
      }
      expect(seen.flat()).toEqual(expected)
      const back: (readonly string[])[] = []
      for (path = last; path && back.length < 20; path = (await api.get(path)).link('prev'))
        back.unshift((await api.get(path)).ids('notes'))
      expect(back.flat()).toEqual(expected)
    })

    it('a cursor of another caller does not reach beyond them', async () => {
      const open = await guarded({})
      const ends = async (sort: string) => {
        const first = (await open.api.get(`/notes?page[size]=1${sort}`)).link('next')!
        const late = (await open.api.get(`/notes?page[size]=9${sort}`)).link('next')!
        return [first, late].map(
          (link) => new URL(link, 'http://x').searchParams.get('page[after]')!,
        )
      }
      const { api } = await guarded({ getList: bound })
      for (const [sort, expected] of [
        ['', byId.slice(2, 7)],
        ['&sort=rank', ranked],
      ] as const) {
        const [early, late] = await ends(sort)
        const ids = async (page: string) =>
          (await api.get(`/notes?page[size]=20${sort}&${page}`)).ids('notes')
        expect(await ids(`page[after]=${early}`)).toEqual(expected)
        expect(await ids(`page[after]=${late}`)).toEqual([])
        expect(await ids(`page[before]=${late}`)).toEqual(expected)
        expect(await ids(`page[before]=${early}`)).toEqual([])
      }
    })

    it('an unpaged list is bounded too, and a hook of any can bound lists', async () => {
      const { api } = await guarded({ getList: bound })
      expect((await api.get('/notes')).ids('notes')).toEqual(byId.slice(2, 7))
      const { api: any } = await guarded({ any: bound })
      expect((await any.get('/notes?page[size]=3&withCount=true')).at('/meta/page/total')).toBe(5)
      const { api: beyond } = await guarded({ getList: (query) => query.skip(50) })
      expect((await beyond.get('/notes?page[size]=3&withCount=true')).at('/meta/page/total')).toBe(
        0,
      )
      const { api: nothing } = await guarded({ getList: (query) => query.limit(0) })
      expect((await nothing.get('/notes?page[size]=3')).ids('notes')).toEqual([])
    })

    it('a related list is bounded too', async () => {
      const router = createRouter({ policy: jsonApi(), store: await make() })
      router.prepare(Shelf)
      router.prepare(Note).use({ query: { getList: bound } })
      await router.load(Shelf, [
        { id: 's', name: 's' },
        { id: 'other', name: 'o' },
      ])
      await router.load(
        Note,
        notes.map((note, index) => ({ ...note, shelf: index % 2 === 0 ? 's' : 'other' })),
      )
      const seen: string[] = []
      for (let path = '/shelves/s/notes?page[size]=1'; path; ) {
        const { data, links } = (await (
          await router.handle(new Request(`http://localhost${path}`))
        ).json()) as {
          data: { id: string }[]
          links: { next?: string | null }
        }
        seen.push(...data.map(({ id }) => id))
        path = links.next ?? ''
      }
      expect(seen).toEqual(['n-4', 'n-6', 'n-8'])
    })

    const single = [
      ['GET', '/notes/n-1', undefined],
      ['PATCH', '/notes/n-1', { note: { rank: 1 } }],
      ['DELETE', '/notes/n-1', undefined],
      ['GET', '/shelves?filter[notes][any]=n-1', undefined],
      ['GET', '/shelves/s?include=notes', undefined],
    ] as const

    it.each(single)(
      '%s %s: limit, skip and sort throw in hooks of single items',
      async (method, path, body) => {
        for (const name of ['any', 'getItem'] as const) {
          for (const wrong of [
            (query: IQuery) => query.limit(0),
            (query: IQuery) => query.skip(1),
            (query: IQuery) => query.sort('rank'),
          ]) {
            const { api, router } = await guarded({ [name]: wrong })
            expect((await api.send(method, path, body)).status).toBe(500)
            expect(reported).toMatchObject([
              { name: 'TypeError', message: expect.stringContaining("'getList'") },
            ])
            expect(await router.query(Note).size()).toBe(10)
          }
        }
      },
    )

    it.each(single)('%s %s: none() hides everything', async (method, path, body) => {
      for (const name of ['any', 'getItem'] as const) {
        const { api, router } = await guarded({ [name]: (query: IQuery) => query.none() })
        const response = await api.send(method, path, body)
        expect(response.status).toBe(path.startsWith('/notes') ? 404 : 200)
        if (response.status === 200) expect(response.text).not.toContain('n-1')
        expect(await router.query(Note).size()).toBe(10)
        expect((await api.get('/notes?withCount=true&page[size]=1')).at('/meta/page/total')).toBe(0)
      }
    })

    it('parts of a query have none of them either', async () => {
      const { api } = await guarded({ getList: (query) => query.or((part) => part.limit(1)) })
      expect((await api.get('/notes')).status).toBe(500)
    })
  },
)
