import {
  createRouter,
  field,
  hash,
  type Middleware,
  model,
  refuse,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ClientResponse, client, type ResponseError } from '../support/client.ts'
import { stores } from '../support/stores.ts'

const Author = model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) })
const Book = model('book', {
  title: z.string().min(1),
  price: field(z.number().nonnegative(), { wire: 'cost' }),
  isbn: field(z.string().nullable().optional(), { unique: true }),
  genres: z.array(z.string()).default([]),
  secret: field(z.boolean().default(false), { hidden: true }),
  author: toOne('author', { optional: true }),
  hash: hash(),
})

const csv = { 'content-type': 'text/csv', accept: '*/*' }
const jsonl = { 'content-type': 'application/jsonl', accept: 'application/jsonl' }

interface LineResult {
  readonly line: number
  readonly status: number
  readonly id?: string
  readonly errors?: readonly ResponseError[]
}

const resultsOf = ({ text }: Pick<ClientResponse, 'text'>) =>
  text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LineResult]))

const outcomesOf = (response: Pick<ClientResponse, 'text'>) =>
  resultsOf(response).map(({ line, status, id, errors }) => [
    line,
    status,
    id ?? errors?.map(({ code, source }) => `${code} ${source?.pointer ?? ''}`).join(', '),
  ])

describe.each(stores)('Items from the lines of a body, on $name', ({ make }) => {
  const options = { csv: true, jsonLines: true }
  describe.each([
    { policy: rest(options), mediaType: 'application/json', attribute: '' },
    { policy: jsonApi(options), mediaType: 'application/vnd.api+json', attribute: '/attributes' },
  ])('under $policy.name', ({ policy, mediaType, attribute }) => {
    const bookshop = async (middleware: Middleware = {}) => {
      const router = createRouter({
        policy,
        basePath: '/api',
        store: await make(),
        idempotency: true,
      })
      router.prepare(Author)
      router.prepare(Book).use(middleware)
      await router.load(Author, [{ id: 'mary', name: 'Mary' }])
      return { ...client(router, 'http://localhost', mediaType), router }
    }
    /** A line of JSON as the policy has it. */
    const lineOf = ({ id, author, ...attributes }: Record<string, unknown>) =>
      JSON.stringify(
        policy.name === 'rest'
          ? { id, author, ...attributes }
          : {
              type: 'books',
              id,
              attributes,
              ...(author !== undefined && {
                relationships: { author: { data: { type: 'authors', id: author } } },
              }),
            },
      )
    const titlesIn = async (api: Awaited<ReturnType<typeof bookshop>>) => {
      const { text } = await api.get('/api/books?sort=id&fields[books]=title', {
        accept: 'text/csv',
      })
      return text.split('\r\n').slice(1).filter(Boolean)
    }

    it('creates an item of each record of CSV, and says which id it has', async () => {
      const api = await bookshop()
      const body = [
        '\ufeffid,title,cost,isbn,genres,author',
        'a,Emma,5.50,"",[],mary',
        'b,"Say ""no"", or\nnot",2,,"[""x"",""y""]",',
        "c,'=1+1,3,x,,mary",
      ].join('\r\n')
      const response = await api.post('/api/books', body, csv)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/jsonl',
      ])
      expect(outcomesOf(response)).toEqual([
        [2, 201, 'a'],
        [3, 201, 'b'],
        [5, 201, 'c'],
      ])
      const list = await api.get('/api/books?sort=id&fields[books]=title,cost,isbn,genres,author', {
        accept: 'text/csv',
      })
      expect(list.text).toBe(
        [
          'id,title,cost,isbn,genres,author',
          'a,Emma,5.5,"","[]",mary',
          'b,"Say ""no"", or\nnot",2,,"[""x"",""y""]",',
          'c,\'=1+1,3,x,"[]",mary',
        ].join('\r\n'),
      )
    })

    it('says of each line what is wrong with it, and creates the others', async () => {
      const api = await bookshop()
      const body = [
        lineOf({ id: 'a', title: 'Emma', cost: 5, author: 'mary' }),
        lineOf({ id: 'b', title: '', cost: -1 }),
        '',
        '{"title":',
        lineOf({ id: 'a', title: 'Emma', cost: 5 }),
        lineOf({ id: 'c', title: 'Persuasion', cost: 5, titel: 1 }),
        lineOf({ id: 'd', title: 'Mansfield Park', cost: 5, author: 'nobody' }),
        lineOf({ id: 'e', title: 'Sanditon', cost: 1 }),
        '[]',
      ].join('\n')
      const response = await api.post('/api/books', body, jsonl)
      const relation = policy.name === 'rest' ? '/author' : '/relationships/author/data'
      const missing = policy.name === 'rest' ? [422, 'related-not-found'] : [404, 'related-missing']
      expect(outcomesOf(response)).toEqual([
        [1, 201, 'a'],
        [2, 422, `invalid-member ${attribute}/title, invalid-member ${attribute}/cost`],
        [4, 400, 'malformed-json '],
        [5, 409, 'already-exists /id'],
        [6, 422, `unknown-member ${attribute}/titel`],
        [7, missing[0], `${missing[1]} ${relation}`],
        [8, 201, 'e'],
        [9, 400, 'invalid-document '],
      ])
      expect(await titlesIn(api)).toEqual(['a,Emma', 'e,Sanditon'])
    })

    it('points at cells of CSV by the names of their columns', async () => {
      const api = await bookshop()
      const body = 'id,title,cost,author\na,,x,mary\nb,Emma\nc,Em"ma,1,\nd,Emma,1,"nobody'
      const response = await api.post('/api/books', body, csv)
      expect(outcomesOf(response)).toEqual([
        [2, 422, 'invalid-member , invalid-member /cost'],
        [3, 400, 'malformed-csv '],
        [4, 400, 'malformed-csv '],
        [5, 400, 'malformed-csv '],
      ])
    })

    it('refuses a header with unknown or repeated names, as a whole', async () => {
      const api = await bookshop()
      const response = await api.post('/api/books', 'id,titel,secret,id\na,Emma,1,b', csv)
      expect(response.status).toBe(400)
      expect(response.errors.map(({ code, detail }) => [code, detail])).toEqual([
        ['unknown-column', "Unknown column 'titel' of the model 'book'. Did you mean 'title'?"],
        [
          'unknown-column',
          expect.stringMatching(
            /^Unknown column 'secret' of the model 'book'; expected one of id,/,
          ),
        ],
        ['malformed-csv', "Two columns are named 'id'."],
      ])
    })

    it('refuses a header with more columns than there are members, by one message', async () => {
      const api = await bookshop()
      const names = Array.from({ length: 100_000 }, (_, index) => `c${index}`)
      const response = await api.post('/api/books', `${names}\na`, csv)
      expect([response.status, response.errors]).toMatchObject([
        400,
        [
          {
            code: 'malformed-csv',
            detail: "The header has more columns than the model 'book' has members.",
          },
        ],
      ])
    })

    it('refuses a record with more cells than the header, and goes on', async () => {
      const api = await bookshop()
      const body = `id,title,cost\n${','.repeat(100_000)}\nb,Emma,1`
      const response = await api.post('/api/books', body, csv)
      expect(outcomesOf(response)).toEqual([
        [2, 400, 'malformed-csv '],
        [3, 201, 'b'],
      ])
      expect(resultsOf(response)[0]?.errors?.[0]?.detail).toBe(
        'The record has more cells than the header, which has 3.',
      )
    })

    it('goes on after bytes that are not UTF-8', async () => {
      const api = await bookshop()
      const bytes = Buffer.from('id,title,cost\na,\u0001,1\nb,Emma,1\n')
      bytes[bytes.indexOf(1)] = 0xff
      const url = 'http://localhost/api/books'
      const sent = await api.router.handle(
        new Request(url, { method: 'POST', headers: csv, body: bytes }),
      )
      const response = { text: await sent.text() }
      expect(outcomesOf(response)).toEqual([
        [2, 400, 'malformed-csv '],
        [3, 201, 'b'],
      ])
    })

    it('creates all of them or none in a strict request', async () => {
      const api = await bookshop()
      const strict = { ...csv, prefer: 'handling=strict' }
      const good = 'id,title,cost\na,Emma,1\nb,Persuasion,2'
      const bad = await api.post('/api/books', `${good}\nc,,3\nd,Emma,x`, strict)
      expect([bad.status, bad.headers.get('content-type')]).toEqual([
        422,
        policy.serializer.errorMediaType,
      ])
      expect(bad.errors.map((error) => 'meta' in error && error.meta)).toEqual([
        { line: 4 },
        { line: 5, pointer: '/cost' },
      ])
      expect(await titlesIn(api)).toEqual([])
      const broken = await api.post('/api/books', `${good}\n"c,1\n`, strict)
      expect(broken.errors.map((error) => 'meta' in error && error.meta)).toEqual([{ line: 4 }])
      const response = await api.post('/api/books', good, strict)
      expect(response.headers.get('preference-applied')).toBe('handling=strict')
      expect(outcomesOf(response)).toEqual([
        [2, 201, 'a'],
        [3, 201, 'b'],
      ])
    })

    it('changes items that exist where the request prefers that', async () => {
      const api = await bookshop()
      const merge = { ...csv, prefer: 'resolution=merge-duplicates' }
      await api.post('/api/books', 'id,title,cost,isbn\na,Emma,1,1\nb,Persuasion,2,2', csv)
      const refused = await api.post('/api/books', 'id,title,cost\na,Emma,9', csv)
      expect(outcomesOf(refused)).toEqual([[2, 409, 'already-exists /id']])
      const body = 'id,title,cost\na,Emma II,3\nc,Sanditon,4\nc,Sanditon II,4\n'
      const response = await api.post('/api/books', body, merge)
      expect(response.headers.get('preference-applied')).toBe('resolution=merge-duplicates')
      expect(outcomesOf(response)).toEqual([
        [2, 200, 'a'],
        [3, 201, 'c'],
        [4, 200, 'c'],
      ])
      const byValue = await api.post('/api/books', 'title,cost,isbn\nPersuasion II,5,2', {
        ...merge,
        prefer: 'handling=strict, resolution=merge-duplicates',
      })
      expect(outcomesOf(byValue)).toEqual([[2, 200, 'b']])
      // The tag of one item says nothing of the others.
      const tagged = { ...merge, 'if-match': '"other"', 'if-none-match': '*' }
      const again = await api.post('/api/books', 'id,title,cost\na,Emma II,3', tagged)
      expect(outcomesOf(again)).toEqual([[2, 200, 'a']])
      expect(await titlesIn(api)).toEqual(['a,Emma II', 'b,Persuasion II', 'c,Sanditon II'])
    })

    it('changes items that other requests create at the same time', async () => {
      for (const handling of ['lenient', 'strict']) {
        const api = await bookshop()
        const records = Array.from({ length: 50 }, (_, index) => `Emma,1,i${index}`)
        const body = ['title,cost,isbn', ...records].join('\n')
        const prefer = `handling=${handling}, resolution=merge-duplicates`
        const responses = await Promise.all(
          [1, 2, 3, 4].map(() => api.post('/api/books', body, { ...csv, prefer })),
        )
        for (const response of responses) {
          const statuses = resultsOf(response).map(({ status }) => status)
          expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(50)
        }
        expect(await titlesIn(api)).toHaveLength(50)
      }
    })

    it('lets no two lines with the same value share a transaction, also where they have ids', async () => {
      const api = await bookshop()
      const body = 'id,title,cost,isbn\na,Emma,1,1\n,Emma II,2,1\nb,Emma III,3,1'
      const merge = { ...csv, prefer: 'resolution=merge-duplicates' }
      const response = await api.post('/api/books', body, merge)
      expect(outcomesOf(response).map(([, status, id]) => [status, id])).toEqual([
        [201, 'a'],
        [200, 'a'],
        [409, 'value-taken /isbn'],
      ])
    })

    it('undoes everything in a dry run', async () => {
      const api = await bookshop()
      for (const handling of ['', 'handling=strict, ']) {
        const response = await api.post('/api/books', 'id,title,cost\na,Emma,1\n,Persuasion,1\n', {
          ...csv,
          prefer: `${handling}tx=rollback`,
        })
        expect(response.headers.get('preference-applied')).toBe(`${handling}tx=rollback`)
        expect(outcomesOf(response)).toEqual([
          [2, 201, 'a'],
          [3, 201, undefined],
        ])
        expect(await titlesIn(api)).toEqual([])
      }
    })

    it('has only lines that failed, and counts, in a minimal response', async () => {
      const api = await bookshop()
      const response = await api.post('/api/books', 'id,title,cost\na,Emma,1\nb,Emma,x\n', {
        ...csv,
        prefer: 'return=minimal',
      })
      expect(resultsOf(response).map(({ errors: _, ...others }) => others)).toEqual([
        { line: 3, status: 422 },
        { created: 1, updated: 0, failed: 1 },
      ])
    })

    it('refuses preferences that contradict each other, and ignores unknown ones', async () => {
      const api = await bookshop()
      const body = 'id,title,cost\na,Emma,1'
      for (const prefer of ['handling=strict, handling=lenient', 'tx=rolback', 'handling'])
        expect(await api.post('/api/books', body, { ...csv, prefer })).toMatchObject({
          status: 400,
          errors: [{ code: 'invalid-preference', source: { header: 'Prefer' } }],
        })
      const unknown = await api.post('/api/books', body, {
        ...csv,
        prefer: 'depth="a, tx=rollback"',
      })
      expect(outcomesOf(unknown)).toEqual([[2, 201, 'a']])
      expect(unknown.headers.has('preference-applied')).toBe(false)
    })

    it('is refused as a request with one item is, by hooks of the request', async () => {
      const api = await bookshop({
        request: { create: () => void refuse('forbidden', 'Nobody creates books.') },
      })
      const single = await api.post('/api/books', {})
      const many = await api.post('/api/books', 'id,title,cost\na,Emma,1', csv)
      expect([many.status, many.body]).toEqual([403, single.body])
    })

    it('refuses what is about one item', async () => {
      const api = await bookshop()
      const body = 'id,title,cost\na,Emma,1'
      expect(await api.post('/api/books?fields[books]=title', body, csv)).toMatchObject({
        status: 400,
        errors: [{ code: 'unknown-parameter', source: { parameter: 'fields[books]' } }],
      })
      const keyed = { ...csv, 'idempotency-key': 'x' }
      expect(await api.post('/api/books', body, keyed)).toMatchObject({
        status: 400,
        errors: [{ code: 'invalid-idempotency-key', source: { header: 'Idempotency-Key' } }],
      })
      expect((await api.post('/api/books', body, { ...csv, accept: 'text/html' })).status).toBe(406)
      const utf16 = { ...csv, 'content-type': 'text/csv; charset=utf-16' }
      expect((await api.post('/api/books', body, utf16)).status).toBe(415)
      for (const empty of ['', '\n\n'])
        expect(await api.post('/api/books', empty, csv)).toMatchObject({
          status: 400,
          errors: [{ code: 'empty-body' }],
        })
    })

    it('takes what a list has sent, and has the same list then', async () => {
      const api = await bookshop()
      await api.post(
        '/api/books',
        [
          lineOf({ id: 'a', title: "'=1", cost: 1e21, isbn: '', author: 'mary' }),
          lineOf({ id: 'b', title: '-5', cost: 0.1, isbn: null, genres: ['"', ','] }),
          lineOf({ id: 'c', title: ' ,\r\n"', cost: 2 }),
        ].join('\n'),
        jsonl,
      )
      const list = '/api/books?sort=id&fields[books]=title,cost,isbn,genres,author'
      for (const accept of ['text/csv', 'application/jsonl']) {
        const sent = await api.get(list, { accept })
        const other = await bookshop()
        const headers = { 'content-type': accept, accept: 'application/jsonl' }
        const response = await other.post('/api/books', sent.text, headers)
        expect(resultsOf(response).map(({ status }) => status)).toEqual([201, 201, 201])
        const versions = /"version":"[\w-]+"/g
        const { text } = await other.get(list, { accept })
        expect(text.replaceAll(versions, '')).toBe(sent.text.replaceAll(versions, ''))
      }
    })

    it('carries out hundreds of lines, each once and in order', async () => {
      const api = await bookshop()
      const ids = Array.from({ length: 350 }, (_, index) => `b${String(index).padStart(4, '0')}`)
      const body = ids.map((id, index) =>
        lineOf({ id, title: index % 50 === 7 ? '' : id, cost: 1 }),
      )
      const results = resultsOf(await api.post('/api/books', body.join('\n'), jsonl))
      expect(results.map(({ line }) => line)).toEqual(ids.map((_, index) => index + 1))
      const good = ids.filter((_, index) => index % 50 !== 7)
      expect(results.flatMap(({ id }) => id ?? [])).toEqual(good)
      expect(await titlesIn(api)).toEqual(good.map((id) => `${id},${id}`))
    })
  })
})
