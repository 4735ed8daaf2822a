import fc from 'fast-check'
import type { Middleware } from 'resourcery'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { counted } from '../../../support/counted.ts'
import { stores } from '../../../support/stores.ts'
import {
  type Client,
  type DocumentResponse,
  hrefOf,
  type Identifier,
  type Resource,
} from '../../support/document-client.ts'
import { expectError } from '../../support/expecting.ts'
import { books, library, notes, topics, writers } from '../../support/library.ts'

function linkage(resource: Resource | undefined, relation: string): readonly string[] {
  return ((resource?.relationships?.[relation]?.data ?? []) as readonly Identifier[]).map(
    ({ id }) => id,
  )
}

function pageLink(
  resource: Resource | undefined,
  relation: string,
  name: string,
): string | undefined {
  return hrefOf(resource?.relationships?.[relation]?.links?.[name])
}

function included(response: DocumentResponse, type: string): readonly string[] {
  return response.included.filter((entry) => entry.type === type).map(({ id }) => id)
}

const booksOf = (writer: string) =>
  books.filter((book) => book.writer === writer).map(({ id }) => id)
const topicsOf = (book: string) => books.find(({ id }) => id === book)!.topics

describe.each(stores)(
  'JSON:API 1.5: included relations take their own filter, sort and page, on $name',
  ({ make }) => {
    let api: Client
    let storeCalls: string[]

    beforeAll(async () => {
      const watched = counted(await make())
      api = (await library(watched.store)).api
      storeCalls = watched.calls
    })

    beforeEach(() => {
      storeCalls.length = 0
    })

    it('IN8, DS36: a page for each parent: the linkage holds its identifiers and no others', async () => {
      const response = await api.get('/api/writers?include=books&pageIncluded[books][size]=2')
      for (const writer of response.many)
        expect(linkage(writer, 'books')).toEqual(booksOf(writer.id).slice(0, 2))
      expect(included(response, 'books').toSorted()).toEqual(
        writers.flatMap(({ id }) => booksOf(id).slice(0, 2)),
      )
    })

    it('PA2, DS27: a relationship with more items has a next link, others have null', async () => {
      const { many } = await api.get('/api/writers?include=books&pageIncluded[books][size]=2')
      for (const writer of many) {
        const links = writer.relationships?.books?.links
        expect(Object.keys(links ?? {})).toEqual(['self', 'related', 'first', 'prev', 'next'])
        expect(links?.prev).toBeNull()
        expect(links?.next === null, writer.id).toBe(booksOf(writer.id).length <= 2)
      }
    })

    it('DS26, DS29: without a page there are no page links, and self and related never change', async () => {
      const plain = (await api.get('/api/writers/w-5')).one.relationships?.books?.links
      const { one } = await api.get(
        '/api/writers/w-5?include=books&filterIncluded[books][title]=Odd',
      )
      expect(one.relationships?.books?.links).toEqual(plain)
      const paged = (await api.get('/api/writers/w-5?include=books&pageIncluded[books][size]=1'))
        .one
      expect(paged.relationships?.books?.links).toMatchObject(plain ?? {})
    })

    it('PA8, CP16: following next visits each related item once, with the same filter, sort and include', async () => {
      const asks = [
        ['writers/w-6', 'books', ''],
        ['writers/w-6', 'books', '&sortIncluded[books]=-title,price'],
        [
          'writers/w-6',
          'books',
          '&filterIncluded[books]=not(eq(title,%27Odd%27))&sortIncluded[books]=price',
        ],
        ['books/b-63', 'topics', '&sortIncluded[topics]=-rank'],
        [
          'topics/t-0',
          'books',
          '&filterIncluded[books][price][gte]=9&filterIncluded[books][title]=Even',
        ],
      ] as const
      for (const [path, relation, more] of asks) {
        const start = `/api/${path}?include=${relation}&pageIncluded[${relation}]`
        const whole = linkage((await api.get(`${start}[size]=1000${more}`)).one, relation)
        const page = await api.get(`${start}[size]=2${more}`)
        const walked = [...linkage(page.one, relation)]
        expect((await api.get(pageLink(page.one, relation, 'first') ?? '')).ids).toEqual(walked)
        for (let next = pageLink(page.one, relation, 'next'); next; ) {
          const further = await api.get(next)
          expect(further.status, further.text).toBe(200)
          expect(included(further, further.many[0]?.type ?? '').toSorted()).toEqual(
            further.ids.toSorted(),
          )
          walked.push(...further.ids)
          next = further.link('next')
        }
        expect(walked).toEqual(whole)
        expect(whole.length, `${path} ${more}`).toBeGreaterThan(2)
      }
    })

    it.each([
      [
        'books/b-60/relationships/writer',
        'writer.books',
        'filterIncluded[writer.books][price][gte]=1',
      ],
      ['writers/w-6/relationships/books', 'books.topics', 'sortIncluded[books.topics]=-rank'],
      [
        'topics/t-0/relationships/books',
        'books.writer.books',
        'sortIncluded[books.writer.books]=-title,price',
      ],
      ['topics/t-0/relationships/parts', 'parts.parts', 'sortIncluded[parts.parts]=-id'],
    ])(
      'PA2, DS27, FE7: %s too links to the pages of its included relation at %s',
      async (path, included, more) => {
        const relation = included.split('.').at(-1)!
        const queryFor = (size: number) =>
          api.get(
            `/api/${path}?include=${included}&pageIncluded[${included}][size]=${size}&${more}`,
          )
        const [page, whole] = [await queryFor(1), await queryFor(1000)]
        const owners = page.included.filter((entry) => pageLink(entry, relation, 'next'))
        expect(owners.length, page.text).toBeGreaterThan(0)
        for (const owner of owners) {
          expect((await api.get(pageLink(owner, relation, 'first') ?? '')).ids).toEqual(
            linkage(owner, relation),
          )
          const walked = [...linkage(owner, relation)]
          for (let next = pageLink(owner, relation, 'next'); next; ) {
            const further = await api.get(next)
            expect(further.status, further.text).toBe(200)
            walked.push(...further.ids)
            next = further.link('next')
          }
          const same = whole.included.find(({ type, id }) => type === owner.type && id === owner.id)
          expect(walked).toEqual(linkage(same, relation))
        }
      },
    )

    it('SO4, FI1: linkage has the requested order and filter', async () => {
      const response = await api.get(
        '/api/writers?include=books&sortIncluded[books]=price,-id&filterIncluded[books][title]=Even',
      )
      for (const writer of response.many) {
        const expectedBooks = books.filter(
          (book) => book.writer === writer.id && book.title === 'Even',
        )
        const sorted = expectedBooks.toSorted(
          (entry, other) => entry.price - other.price || (entry.id < other.id ? 1 : -1),
        )
        expect(linkage(writer, 'books')).toEqual(sorted.map(({ id }) => id))
      }
      expect(response.included.every(({ attributes }) => attributes?.title === 'Even')).toBe(true)
    })

    it('DS36: of an owned relation only the page is linked, in its own order unless a sort is requested', async () => {
      const few = 't-1,t-3,t-4'
      const response = await api.get(
        `/api/books?include=topics&filterIncluded[topics][id][in]=${few}`,
      )
      for (const book of response.many)
        expect(linkage(book, 'topics')).toEqual(topicsOf(book.id).filter((id) => few.includes(id)))
      const sorted = await api.get('/api/books?include=topics&sortIncluded[topics]=-rank')
      for (const book of sorted.many) {
        const ranked = topics
          .filter(({ id }) => topicsOf(book.id).includes(id))
          .sort((topic, other) => other.rank - topic.rank)
        expect(linkage(book, 'topics')).toEqual(ranked.map(({ id }) => id))
      }
      const paged = await api.get('/api/books?include=topics&pageIncluded[topics][size]=1')
      for (const book of paged.many)
        expect(linkage(book, 'topics')).toEqual(topicsOf(book.id).toSorted().slice(0, 1))
    })

    it('IN8: nested paths have pages of their own on each level', async () => {
      const response = await api.get(
        '/api/writers?include=books.notes,books.topics&pageIncluded[books][size]=3&sortIncluded[books]=-price' +
          '&pageIncluded[books.notes][size]=1&sortIncluded[books.notes]=-stars&filterIncluded[books.topics][rank][lt]=3',
      )
      const reached = response.included.filter(({ type }) => type === 'books')
      expect(reached.map(({ id }) => id).toSorted()).toEqual(
        [...new Set(response.many.flatMap((writer) => linkage(writer, 'books')))].toSorted(),
      )
      for (const book of reached) {
        const [best] = notes
          .filter((note) => note.book === book.id)
          .toSorted((note, other) => other.stars - note.stars || (note.id < other.id ? -1 : 1))
        expect(linkage(book, 'notes')).toEqual(best ? [best.id] : [])
        const low = topicsOf(book.id).filter(
          (id) => topics.find((topic) => topic.id === id)!.rank < 3,
        )
        expect(linkage(book, 'topics')).toEqual(low)
      }
      const behind = await api.get(
        '/api/books?include=writer.books&pageIncluded[writer.books][size]=1',
      )
      for (const writer of behind.included.filter(({ type }) => type === 'writers'))
        expect(linkage(writer, 'books')).toEqual(booksOf(writer.id).slice(0, 1))
    })

    it('IN8: the next page of a nested page includes what the document did', async () => {
      const { one, included } = await api.get(
        '/api/writers/w-6?include=books.notes&pageIncluded[books][size]=4&pageIncluded[books.notes][size]=1&fields[notes]=stars',
      )
      const next = await api.get(pageLink(one, 'books', 'next') ?? '')
      expect(next.ids).toEqual(booksOf('w-6').slice(4))
      for (const book of next.included.filter(({ type }) => type === 'books')) {
        const own = notes.filter((note) => note.book === book.id).map(({ id }) => id)
        expect(linkage(book, 'notes')).toEqual(own.slice(0, 1))
        expect(pageLink(book, 'notes', 'next') === undefined).toBe(own.length <= 1)
      }
      expect(next.included.find(({ type }) => type === 'notes')?.attributes).toEqual({
        stars: expect.any(Number),
      })
      const nested = included.find(
        (book) => book.type === 'books' && pageLink(book, 'notes', 'next'),
      )
      expect((await api.get(pageLink(nested, 'notes', 'next') ?? '')).ids[0]).toMatch(/-1$/)
    })

    it('FI2: a filter by a relation path still filters the list', async () => {
      const response = await api.get(
        '/api/books?filter[writer.name]=Writer%201&include=topics,writer.books&filterIncluded[topics][rank][gt]=3&filterIncluded[writer.books][title]=Odd',
      )
      expect(response.ids).toEqual(['w-1', 'w-4'].flatMap(booksOf))
      const low = topics.filter(({ rank }) => rank <= 3).map(({ id }) => `topics/${id}`)
      expect(response.includedNames.filter((name) => low.includes(name))).toEqual([])
    })

    it.each([
      '/api/writers/w-4?include=books&pageIncluded[books][size]=2',
      '/api/books/b-40/writer?include=books&pageIncluded[books][size]=2',
      '/api/books/b-40/relationships/writer?include=writer.books&pageIncluded[writer.books][size]=2',
      '/api/writers?page[size]=2&page[number]=3&include=books&pageIncluded[books][size]=2',
    ])('IN9: wherever related resources are included: %s', async (path) => {
      const response = await api.get(path)
      const all = [response.one, ...response.many, ...response.included]
      const writer = all.filter(({ id }) => id === 'w-4').find(({ relationships }) => relationships)
      expect(linkage(writer, 'books')).toEqual(['b-40', 'b-41'])
    })

    it('IN9: writes respond with included pages too', async () => {
      const { api: own } = await library(await make())
      const relationships = {
        topics: { data: ['t-5', 't-2', 't-6'].map((id) => ({ type: 'topics', id })) },
      }
      const query = '?include=topics&pageIncluded[topics][size]=1&sortIncluded[topics]=-rank'
      const data = {
        type: 'books',
        id: 'b-new',
        attributes: { title: 'New', price: 1 },
        relationships,
      }
      const created = await own.post(`/api/books${query}`, { data })
      expect([created.status, linkage(created.one, 'topics'), created.includedNames]).toEqual([
        201,
        ['t-5'],
        ['topics/t-5'],
      ])
      const changed = await own.patch(`/api/books/b-new${query}`, {
        data: { type: 'books', id: 'b-new', attributes: { price: 2 } },
      })
      expect([changed.status, linkage(changed.one, 'topics')]).toEqual([200, ['t-5']])
      const whole = await own.get('/api/books/b-new')
      expect(
        linkage(whole.one, 'topics'),
        'the window narrows what is told, not what is kept',
      ).toEqual(['t-5', 't-2', 't-6'])
    })

    it('DS38, DS36: a resource on several paths is linked to what each of them found', async () => {
      const narrow = await api.get(
        '/api/writers?include=books.writer.books&pageIncluded[books][size]=1&pageIncluded[books.writer.books][size]=2&sortIncluded[books.writer.books]=-id',
      )
      for (const writer of narrow.many) {
        const own = booksOf(writer.id)
        expect(linkage(writer, 'books').toSorted()).toEqual(
          [...new Set([...own.slice(0, 1), ...own.slice(-2)])].toSorted(),
        )
      }
      const wide = await api.get(
        '/api/topics?include=books.topics,parts&pageIncluded[books][size]=1&pageIncluded[parts][size]=1',
      )
      for (const book of wide.included.filter(({ type }) => type === 'books'))
        expect(linkage(book, 'topics')).toEqual(topicsOf(book.id))
      const response = await api.get(
        '/api/books?include=topics,writer.books.topics&pageIncluded[topics][size]=1',
      )
      for (const book of response.many) expect(linkage(book, 'topics')).toEqual(topicsOf(book.id))
      const levels = await api.get(
        '/api/topics/t-0?include=parts.parts&pageIncluded[parts][size]=2&pageIncluded[parts.parts][size]=1',
      )
      expect(linkage(levels.one, 'parts')).toEqual(['t-1', 't-2'])
      expect(levels.included.map((topic) => [topic.id, linkage(topic, 'parts')])).toEqual([
        ['t-1', ['t-3']],
        ['t-2', ['t-5']],
        ['t-3', []],
        ['t-5', []],
      ])
    })

    it('DS37: fieldsets hide the linkage, and not the included resources', async () => {
      const response = await api.get(
        '/api/writers?include=books&pageIncluded[books][size]=1&fields[writers]=name&fields[books]=title',
      )
      expect(response.many.every(({ relationships }) => relationships === undefined)).toBe(true)
      expect(response.includedNames).toHaveLength(writers.length - 1)
    })

    it.each([
      ['/api/writers?include=books&pageIncluded[books][size]=2', ['list writer', 'pages book']],
      ['/api/writers/w-6?include=books&pageIncluded[books][size]=2', ['find writer', 'pages book']],
      ['/api/writers?include=books&sortIncluded[books]=price', ['list writer', 'list book']],
      ['/api/books?include=topics&pageIncluded[topics][size]=2', ['list book', 'pages topic']],
      ['/api/topics?include=books&pageIncluded[books][size]=2', ['list topic', 'pages book']],
      [
        '/api/books?page[size]=20&include=topics,notes&pageIncluded[topics][size]=2&pageIncluded[notes][size]=1',
        ['page book', 'pages topic', 'pages note'],
      ],
      [
        '/api/writers?include=books.notes&pageIncluded[books][size]=2&pageIncluded[books.notes][size]=1',
        ['list writer', 'pages book', 'pages note'],
      ],
      [
        '/api/books?include=writer.books.notes&pageIncluded[writer.books][size]=9&pageIncluded[writer.books.notes][size]=1',
        ['list book', 'pages note', 'list writer', 'pages book', 'pages note'],
      ],
    ])(
      'IN10: %s takes one query for each relation and level, however many parents there are',
      async (path, queries) => {
        expect((await api.get(path)).status).toBe(200)
        expect(storeCalls).toEqual(queries)
      },
    )

    it.each([
      ['pageIncluded[books][size]=1001', 'page-too-large', 1000],
      ['pageIncluded[books][size]=0', 'invalid-page'],
      ['pageIncluded[books][size]=', 'invalid-page'],
      ['pageIncluded[books][size]=x', 'invalid-page'],
      ['pageIncluded[books][number]=2', 'unknown-parameter'],
      ['pageIncluded[books][after]=x', 'unknown-parameter'],
      ['pageIncluded[books]=2', 'unknown-parameter'],
      ['pageIncluded[size]=2', 'invalid-include'],
      ['pageIncluded=2', 'unknown-parameter'],
      ['pageIncluded[]=2', 'invalid-include'],
      ['pageIncluded[books][size][x]=2', 'unknown-parameter'],
      ['pageIncluded[topics][size]=2', 'invalid-include'],
      ['pageIncluded[nope][size]=2', 'invalid-include'],
      ['pageIncluded[books.notes][size]=2', 'invalid-include'],
      ['pageIncluded[books.writer][size]=2', 'invalid-include'],
      ['sortIncluded[books]=nope', 'unknown-field'],
      ['sortIncluded[books]=secret', 'unknown-field'],
      ['sortIncluded[books]=', 'invalid-sort'],
      ['sortIncluded[books]=topics', 'invalid-sort'],
      ['sortIncluded[books][price]=asc', 'unknown-parameter'],
      ['sortIncluded=price', 'unknown-parameter'],
      [`sortIncluded[books]=${'price,'.repeat(8)}id`, 'limit-exceeded', 8],
      ['filterIncluded[books][nope]=1', 'unknown-field'],
      ['filterIncluded[books][price]=x', 'invalid-value'],
      ['filterIncluded[books][price][about]=1', 'unknown-operator'],
      ['filterIncluded[books][price][gt][x]=1', 'unknown-parameter'],
      ['filterIncluded[books]=or(', 'invalid-filter'],
      ['filterIncluded=eq(price,1)', 'unknown-parameter'],
      ['filterIncluded[price]=1', 'invalid-include'],
      [
        `filterIncluded[books]=or(${Array.from({ length: 50 }, () => 'eq(price,1)').join(',')})`,
        'limit-exceeded',
        50,
      ],
      [
        'filterIncluded[books][price][in]=1&filterIncluded[books][writer.books.x]=1',
        'unknown-field',
      ],
      ['Pageincluded[books][size]=2', 'unknown-parameter'],
    ])(
      'QP3, IN10: %s is refused before the store is read, with the limit in the error',
      async (query, code, limit?: number) => {
        const response = await api.get(`/api/writers?include=books.writer&${query}`)
        const key = decodeURIComponent(query.split('&').at(-1)!.split('=')[0]!)
        expectError(response, 400, { parameter: key })
        const error = response.errors.find((error) => error.code === code)
        expect(error, response.text).toBeDefined()
        if (limit !== undefined) {
          expect(error?.detail).toContain(String(limit))
          expect(error?.meta?.limit).toBe(limit)
        }
        expect(storeCalls).toEqual([])
      },
    )

    it('IN10: the filters of all included relations are counted together', async () => {
      const half = `or(${Array.from({ length: 30 }, () => 'eq(id,%27x%27)').join(',')})`
      const response = await api.get(
        `/api/books?include=topics,notes&filterIncluded[topics]=${half}&filterIncluded[notes]=${half}`,
      )
      expectError(response, 400, { parameter: 'filterIncluded[notes]' })
      expect(storeCalls).toEqual([])
    })

    it('ER1: all errors of all included pages are reported', async () => {
      const response = await api.get(
        '/api/books?include=topics&pageIncluded[topics][size]=0&sortIncluded[topics]=x&filterIncluded[notes][y]=1',
      )
      expect(response.errors.map(({ source }) => source?.parameter).toSorted()).toEqual([
        'filterIncluded[notes][y]',
        'pageIncluded[topics][size]',
        'sortIncluded[topics]',
      ])
    })

    it('FI3: a hidden field gets the same response as an unknown one', async () => {
      for (const form of [
        'sortIncluded[books]=NAME',
        'filterIncluded[books][NAME]=x',
        "filterIncluded[books]=eq(NAME,'x')",
      ]) {
        const sendRequest = (name: string) =>
          api.get(`/api/writers?include=books&${form.replace('NAME', name)}`)
        const [hidden, unknown] = [await sendRequest('secret'), await sendRequest('sxcret')]
        expect([hidden.status, hidden.text]).toEqual([
          unknown.status,
          unknown.text.replaceAll('sxcret', 'secret'),
        ])
        expect(hidden.status).toBe(400)
      }
    })

    it('IN7: the items of a relationship itself have filter, sort and page', async () => {
      const response = await api.get(
        '/api/writers/w-1/relationships/books?include=books&pageIncluded[books][size]=1',
      )
      expectError(response, 400, { parameter: 'pageIncluded[books][size]' })
      expect(response.errors[0]?.detail).toContain('the list itself')
    })

    it('CN17: a document with an included page has its own ETag, and 304', async () => {
      const path = '/api/writers/w-6?include=books&pageIncluded[books][size]=2'
      const { headers } = await api.get(path)
      const etag = headers.get('etag') ?? ''
      expect((await api.get(path, { 'if-none-match': etag })).status).toBe(304)
      expect((await api.get(path.replace('2', '3'), { 'if-none-match': etag })).status).toBe(200)
    })
  },
)

describe.each(stores)(
  'JSON:API 1.5: an included page is a page of the relationship, on $name',
  ({ make }) => {
    let api: Client

    beforeAll(async () => {
      api = (await library(await make())).api
    })

    const parents = [
      ['writers', 'books'],
      ['books', 'topics'],
      ['books', 'notes'],
      ['topics', 'books'],
      ['topics', 'parts'],
    ] as const
    const queries: Readonly<
      Record<string, { readonly filters: readonly string[]; readonly sorts: readonly string[] }>
    > = {
      books: {
        filters: [
          '[price][gte]=9',
          '=or(eq(title,%27Odd%27),lt(price,9))',
          '[writer.name]=Writer%202',
          '[topics][any]=t-1,t-4',
        ],
        sorts: ['price', '-price,title', 'writer.name,-id', '-title'],
      },
      topics: {
        filters: ['[rank][lt]=4', '=not(eq(rank,0))', '[parent.rank][gt]=1'],
        sorts: ['rank', '-rank', 'parent.name', '-parent.rank,id'],
      },
      notes: {
        filters: ['[stars][gt]=1', '[book.title]=Odd'],
        sorts: ['stars', '-stars,-id', 'book.price'],
      },
    }
    const targetOf = (relation: string) => queries[relation === 'parts' ? 'topics' : relation]!

    it('PA8, CP7: each parent shows the page that its relationship has for the same parameters', async () => {
      const asks = fc.constantFrom(...parents).chain(([plural, relation]) => {
        const { filters, sorts } = targetOf(relation)
        return fc.record({
          plural: fc.constant(plural),
          relation: fc.constant(relation),
          filter: fc.option(fc.constantFrom(...filters), { nil: undefined }),
          sort: fc.option(fc.constantFrom(...sorts), { nil: undefined }),
          size: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
        })
      })
      await fc.assert(
        fc.asyncProperty(asks, async ({ plural, relation, filter, sort, size }) => {
          const list = [
            `include=${relation}`,
            filter && `filterIncluded[${relation}]${filter}`,
            sort && `sortIncluded[${relation}]=${sort}`,
            size && `pageIncluded[${relation}][size]=${size}`,
          ]
          const own = [
            filter && `filter${filter}`,
            sort && `sort=${sort}`,
            size && `page[size]=${size}`,
          ]
          const response = await api.get(`/api/${plural}?${list.filter(Boolean).join('&')}`)
          expect(response.status, response.text).toBe(200)
          for (const parent of response.many) {
            const path = `/api/${plural}/${parent.id}/relationships/${relation}?${own.filter(Boolean).join('&')}`
            const alone = await api.get(path)
            expect(linkage(parent, relation), `${path}`).toEqual(alone.ids)
            expect(pageLink(parent, relation, 'next') === undefined, path).toBe(
              alone.link('next') === undefined,
            )
          }
        }),
        { numRuns: 40 },
      )
    })
  },
)

describe.each(stores)(
  'JSON:API 1.5: the middleware of the related model guards an included page, on $name',
  ({ make }) => {
    const noOdd: Middleware = {
      query: { getItem: (query) => query.where('title').notEqual('Odd') },
    }
    const noHighTopics: Middleware = { query: { any: (query) => query.where('rank').lessThan(5) } }
    const visible = (writer: string) =>
      booksOf(writer).filter((id) => books.find((book) => book.id === id)!.title === 'Even')

    it('shows and counts only items that it lets through', async () => {
      const { api } = await library(await make(), {
        middleware: { book: noOdd, topic: noHighTopics },
      })
      const response = await api.get(
        '/api/writers?include=books.topics&pageIncluded[books][size]=2&pageIncluded[books.topics][size]=2',
      )
      for (const writer of response.many) {
        expect(linkage(writer, 'books')).toEqual(visible(writer.id).slice(0, 2))
        expect(pageLink(writer, 'books', 'next') === undefined).toBe(visible(writer.id).length <= 2)
      }
      const low = topics.filter(({ rank }) => rank < 5).map(({ id }) => id)
      for (const book of response.included.filter(({ type }) => type === 'books')) {
        const seen = topicsOf(book.id)
          .filter((id) => low.includes(id))
          .toSorted()
        expect(linkage(book, 'topics')).toEqual(seen.slice(0, 2))
      }
      expect(response.text).not.toContain('"Odd"')
      for (const hidden of topics.filter(({ rank }) => rank >= 5))
        expect(response.text).not.toContain(`"${hidden.id}"`)
    })

    it('cannot be bypassed by a filter or a sort of the page', async () => {
      const { api } = await library(await make(), { middleware: { topic: noHighTopics } })
      const hidden = topics.filter(({ rank }) => rank >= 5).map(({ id }) => id)
      const anyHidden = `/api/writers?include=books&filterIncluded[books][topics][any]=${hidden.join(',')}`
      expect(included(await api.get(anyHidden), 'books')).toEqual([])
      const parents = await api.get(
        '/api/topics?include=parts&filterIncluded[parts][parent.rank][gte]=5',
      )
      expect(parents.included).toEqual([])
    })

    it('neither sorts nor limits it, nor the relationship, because only hooks of lists may', async () => {
      const dearest: Middleware = {
        query: { any: (query) => query.sort('price', 'desc').limit(2) },
      }
      const { api } = await library(await make(), { middleware: { book: dearest } })
      const window = 'include=books&pageIncluded[books][size]=1&sortIncluded[books]=title'
      expect((await api.get(`/api/writers/w-6?${window}`)).status).toBe(500)
      expect((await api.get('/api/writers/w-6/relationships/books?page[size]=1')).status).toBe(500)
      expect((await api.get('/api/writers/w-6/books')).ids).toHaveLength(2)
    })
  },
)

describe.each(stores)('JSON:API 1.5: included pages in long lists, on $name', ({ make }) => {
  it('DS36: a streamed list sends the linkage of each page before its included items', async () => {
    const { Writer, Book } = await import('../../support/library.ts')
    const { router, api } = await library(await make())
    const many = Array.from({ length: 700 }, (_, index) => ({
      id: `x-${String(index).padStart(3, '0')}`,
      name: 'x',
    }))
    await router.load(Writer, many)
    await router.load(
      Book,
      many.flatMap(({ id }) =>
        [3, 1, 2].map((price) => ({
          id: `${id}-${price}`,
          title: 'x',
          price,
          writer: id,
          topics: ['t-2', 't-1'],
        })),
      ),
    )
    const response = await api.get(
      '/api/writers?include=books.topics&pageIncluded[books][size]=2&sortIncluded[books]=-price&pageIncluded[books.topics][size]=1',
    )
    expect(response.many).toHaveLength(many.length + writers.length)
    for (const writer of response.many.filter(({ id }) => id.startsWith('x-')))
      expect(linkage(writer, 'books')).toEqual([`${writer.id}-3`, `${writer.id}-2`])
    expect(
      response.included
        .filter(({ id }) => id.startsWith('x-'))
        .every((book) => linkage(book, 'topics')[0] === 't-1'),
    ).toBe(true)
    expect(included(response, 'books').filter((id) => id.startsWith('x-'))).toHaveLength(
      many.length * 2,
    )
  })
})
