import { createRouter, date, model, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string() })
const Book = model(
  'book',
  {
    title: z.string(),
    price: z.number().nullish(),
    shelf: z.string().nullish(),
    releasedOn: date({ optional: true }),
    author: toOne('author', { optional: true }),
  },
  { aggregate: ['price', 'shelf', 'releasedOn', 'author'] },
)

const csv = { accept: 'text/csv' }
const jsonLines = { accept: 'application/jsonl' }
const books = [
  { id: 'a', title: 'A', price: 1.5, shelf: '=1+1', releasedOn: '2026-03-01', author: '-mary' },
  { id: 'b', title: 'B', price: 2, shelf: '=1+1', releasedOn: '2026-05-01', author: '-mary' },
  { id: 'c', title: 'C', shelf: 'top, left', author: 'jane' },
  { id: 'd', title: 'D', price: 4 },
]

describe.each(stores)('Groups as a file, on $name', ({ make }) => {
  describe.each([
    ['REST', rest({ csv: true, jsonLines: true }), 'application/json'],
    ['JSON:API', jsonApi({ csv: true, jsonLines: true }), 'application/vnd.api+json'],
  ])('under %s', (_, policy, mediaType) => {
    const bookshop = async (items: readonly object[] = books) => {
      const router = createRouter({ policy, basePath: '/api', store: await make() })
      router.prepare(Author)
      router.prepare(Book)
      await router.load(Author, [
        { id: '-mary', name: 'Mary' },
        { id: 'jane', name: 'Jane' },
      ])
      await router.load(Book, items as never)
      return client(router)
    }

    it('have a header with the names of the request, and a record for each group', async () => {
      const api = await bookshop()
      const response = await api.get(
        '/api/books/groups?groupBy=shelf,author&withAggregates=count,sum(price)',
        csv,
      )
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/csv'])
      expect(response.headers.get('vary')?.toLowerCase()).toContain('accept')
      expect(response.text).toBe(
        [
          'shelf,author,count,sum(price)',
          ',,1,4',
          "'=1+1,-mary,2,3.5",
          '"top, left",jane,1,0',
        ].join('\r\n'),
      )
    })

    it('stand on lines, each as in JSON', async () => {
      const api = await bookshop()
      const query = 'groupBy=year(releasedOn)&withAggregates=count&sort=-count'
      const { text } = await api.get(`/api/books/groups?${query}`, jsonLines)
      expect(text.split('\n').map((line) => JSON.parse(line))).toEqual([
        { by: { 'year(releasedOn)': null }, aggregates: { count: 2 } },
        { by: { 'year(releasedOn)': '2026' }, aggregates: { count: 2 } },
      ])
    })

    it('have only a header where there is nothing', async () => {
      const api = await bookshop([])
      const path = '/api/books/groups?groupBy=author&withAggregates=count'
      expect((await api.get(path, csv)).text).toBe('author,count\r\n')
    })

    it('are no bytes on lines where there is nothing', async () => {
      const api = await bookshop([])
      const response = await api.get('/api/books/groups?groupBy=author', jsonLines)
      expect([response.status, response.headers.get('content-type'), response.text]).toEqual([
        200,
        'application/jsonl',
        '',
      ])
    })

    it('have links to other pages in a header', async () => {
      const api = await bookshop()
      const first = await api.get('/api/books/groups?groupBy=author&page[size]=2', csv)
      expect(first.text).toBe('author\r\n\r\n-mary')
      const second = await api.get(first.link('next')!, csv)
      expect(second.text).toBe('author\r\njane')
      expect(second.link('next')).toBeUndefined()
    })

    it('are saved under the name of the request, which chooses the media type', async () => {
      const api = await bookshop()
      for (const [extension, type] of [
        ['csv', 'text/csv'],
        ['jsonl', 'application/jsonl'],
        ['json', mediaType],
      ] as const) {
        const path = `/api/books/groups?groupBy=author&download=by-author.${extension}`
        const { status, headers } = await api.get(path)
        expect([status, headers.get('content-type')]).toEqual([200, type])
        expect(headers.get('content-disposition')).toBe(
          `attachment; filename="by-author.${extension}"`,
        )
      }
      const { errors } = await api.get('/api/books/groups?groupBy=prise&download=groups.xlsx')
      expect(errors.map(({ code, source }) => [code, source?.parameter])).toEqual([
        ['unknown-field', 'groupBy'],
        ['invalid-value', 'download'],
      ])
    })

    it('are read by QUERY too', async () => {
      const api = await bookshop()
      const form = { 'content-type': 'application/x-www-form-urlencoded' }
      const { text } = await api.send(
        'QUERY',
        '/api/books/groups',
        'groupBy=author&withAggregates=count&filterGroups[count][gte]=2',
        { ...csv, ...form },
      )
      expect(text).toBe('author,count\r\n-mary,2')
    })

    it('are 406 with the number of all groups, and in media types that nobody offers', async () => {
      const api = await bookshop()
      const counted = await api.get('/api/books/groups?groupBy=author&withCount=true', csv)
      expect(counted.errors.map(({ status, detail }) => [Number(status), detail])).toEqual([
        [406, "'withCount' is not supported with text/csv, which contains only groups."],
      ])
      const other = await api.get('/api/books/groups?groupBy=author', { accept: 'text/html' })
      expect(other.errors[0]?.detail).toContain(
        `Available media types: ${mediaType}, application/jsonl, text/csv.`,
      )
    })
  })
})

it('Groups have no files where the policy offers none', async () => {
  const router = createRouter({ policy: rest(), store: await stores[0]!.make() })
  router.prepare(Author)
  router.prepare(Book)
  const api = client(router)
  expect((await api.get('/books/groups?groupBy=author', csv)).status).toBe(406)
  expect((await api.get('/books/groups?groupBy=author&download=a.csv')).status).toBe(400)
})
