import { createRouter, file, model, type Policy, type Router } from 'resourcery'
import { fetchHandler } from 'resourcery/fetch'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { testClient } from './testing.ts'

class Book extends model('book', { title: z.string(), scan: file() }, { ids: 'client' }) {}

function bookshop(policy: Policy = rest()): Router {
  const router = createRouter({
    policy,
    basePath: '/api',
    store: memory(),
    blobs: memoryBlobs(),
    docsPage: true,
  })
  router.prepare(Book).use({
    request: {
      any: ({ request, setHeader }) =>
        setHeader('x-caller', request.headers.authorization ?? 'nobody'),
    },
  })
  return router
}

test('items are written and read with parsed bodies', async () => {
  const client = testClient(bookshop())
  const created = await client.post('/api/books', { book: { id: 'b1', title: 'Dracula' } })
  expect([created.status, created.body.book.title]).toEqual([201, 'Dracula'])
  expect((await client.get(created.headers.get('location')!)).status).toBe(200)
  expect((await client.patch('/api/books/b1', { book: { title: 'Emma' } })).body.book.title).toBe(
    'Emma',
  )
  expect((await client.put('/api/books/b1', { book: { title: 'It' } })).body.book.title).toBe('It')
  const head = await client.head('/api/books/b1')
  expect([head.status, head.body]).toEqual([200, undefined])
  const deleted = await client.delete('/api/books/b1')
  expect([deleted.status, deleted.body]).toEqual([204, undefined])
  const missing = await client.get('/api/books/b1')
  expect([missing.status, missing.body.errors[0].code]).toEqual([404, 'not-found'])
  expect((await client.send('OPTIONS', '/api/books')).headers.get('allow')).toContain('POST')
})

test('a body has the type that the test says', async () => {
  const { body } = await testClient(bookshop()).get<{ books: { id: string }[] }>('/api/books')
  expectTypeOf(body).toEqualTypeOf<{ books: { id: string }[] }>()
  expect(body.books).toEqual([])
})

test('JSON:API gets its media type', async () => {
  const client = testClient(bookshop(jsonApi()))
  const data = { type: 'books', id: 'b1', attributes: { title: 'Dracula' } }
  expect((await client.post('/api/books', { data })).status).toBe(201)
})

test('headers of the client, of a request and of another client are sent', async () => {
  const client = testClient(bookshop(), { headers: { authorization: 'ada' } })
  const callerOf = async (response: Promise<{ headers: Headers }>) =>
    (await response).headers.get('x-caller')
  expect(await callerOf(client.get('/api/books'))).toBe('ada')
  expect(await callerOf(client.get('/api/books', { headers: { authorization: 'bob' } }))).toBe(
    'bob',
  )
  expect(await callerOf(client.with({ authorization: 'eve' }).get('/api/books'))).toBe('eve')
})

test('bytes and forms are sent as they are, and read by their media type', async () => {
  const client = testClient(bookshop())
  await client.post('/api/books', { book: { id: 'b1', title: 'Dracula' } })
  const form = new FormData()
  form.set('scan', new Blob(['text of a form'], { type: 'text/plain' }), 'scan.txt')
  expect((await client.post('/api/books/b1/scan', form)).status).toBe(200)
  expect((await client.get('/api/books/b1/scan')).body).toBe('text of a form')
  const bytes = Uint8Array.of(0, 255, 7)
  const headers = { 'content-type': 'application/octet-stream' }
  expect((await client.post('/api/books/b1/scan', bytes, { headers })).status).toBe(200)
  expect((await client.get('/api/books/b1/scan')).body).toEqual(bytes)
})

test('text that is no JSON can be sent as such', async () => {
  const { status, body } = await testClient(bookshop()).post('/api/books', '{"book":')
  expect([status, body.errors[0].code]).toEqual([400, 'malformed-json'])
})

test('handlers of web requests can be tested, too', async () => {
  const client = testClient(fetchHandler(bookshop()))
  expect((await client.get('/api/books')).status).toBe(200)
  expect((await client.get('/api/openapi.json')).body.openapi).toMatch(/^3\./)
})
