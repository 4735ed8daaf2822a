import { model } from 'resourcery'
import { beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../support/client.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Book = model('book', { title: z.string(), note: z.string().optional() })

const sorted = (allow: string | null) => (allow ?? '').split(', ').toSorted().join(', ')

describe.each(stores)('HTTP, on $name', ({ make }) => {
  let api: Client

  beforeEach(async () => {
    const fixture = service(await make(), [Book], { basePath: '/api' })
    await fixture.router.load(Book, [{ id: 'b-1', title: 'Dune' }])
    api = fixture.api
  })

  describe('methods', () => {
    const ofList = 'GET, HEAD, OPTIONS, POST, QUERY'
    const ofItem = 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT'

    it.each([
      ['PUT', '/api/books', ofList],
      ['PATCH', '/api/books', ofList],
      ['DELETE', '/api/books', ofList],
      ['POST', '/api/books/b-1', ofItem],
      ['POST', '/api/books/nobody', ofItem],
    ])('%s %s is 405 with the exact Allow', async (method, path, allow) => {
      const response = await api.send(method, path, { book: { title: 'x' } })
      expect([response.status, response.errors[0]?.code]).toEqual([405, 'method-not-allowed'])
      expect(sorted(response.headers.get('allow'))).toBe(allow)
    })

    it('OPTIONS sends the same Allow, and Accept-Patch where there is PATCH', async () => {
      const list = await api.options('/api/books')
      expect([list.status, sorted(list.headers.get('allow')), list.text]).toEqual([204, ofList, ''])
      expect(list.headers.get('accept-patch')).toBeNull()
      const item = await api.options('/api/books/b-1')
      expect([item.status, sorted(item.headers.get('allow'))]).toEqual([204, ofItem])
      expect(item.headers.get('accept-patch')?.split(', ').toSorted()).toEqual([
        'application/json',
        'application/merge-patch+json',
      ])
    })

    it('OPTIONS is 404 at an unknown address', async () => {
      expect((await api.options('/api/nothing')).status).toBe(404)
    })

    it('that are unknown are 501, and other standard ones 405', async () => {
      expect((await api.send('BREW', '/api/books')).status).toBe(501)
      expect((await api.send('PROPFIND', '/api/books')).status).toBe(405)
    })
  })

  describe('404', () => {
    it.each([
      '/',
      '/api',
      '/api/',
      '/books',
      '/api/nothing',
      '/api/books/b-1/title',
      '/api/books/b-1/relationships/author',
      '/api//books',
      '/api/books//',
      '/apibooks',
      '/api/constructor',
      '/api/__proto__',
    ])('%s is 404', async (path) => {
      const response = await api.get(path)
      expect([response.status, response.errors[0]?.code]).toEqual([404, 'not-found'])
    })

    it.each(['GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'])('%s of an unknown id', async (method) => {
      const body = method.startsWith('P') ? { book: { title: 'x' } } : undefined
      expect((await api.send(method, '/api/books/nobody', body)).status).toBe(404)
    })

    it('a path that is not percent-encoded UTF-8 is 400 or 404', async () => {
      for (const path of ['/api/books/%E4', '/api/books/%C0%AF', '/api/books/%ED%A0%80'])
        expect([400, 404], path).toContain((await api.get(path)).status)
    })

    it('an encoded slash is no separator', async () => {
      expect((await api.get('/api%2Fbooks')).status).toBe(404)
      expect((await api.get('/api/books%2Fb-1')).status).toBe(404)
    })
  })

  describe('Accept', () => {
    it.each([
      'application/json',
      '*/*',
      'application/*',
      'text/html, application/json;q=0.1',
      'text/html, */*;q=0.1',
      'APPLICATION/JSON',
      'application/json; charset=utf-8',
      'application/json;q=0.001',
    ])('%s gets JSON', async (accept) => {
      const response = await api.get('/api/books', { accept })
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'application/json',
      ])
    })

    it.each([
      'text/html',
      'application/xml',
      'application/vnd.api+json',
      'application/json;q=0',
      '*/*;q=0',
      'text/*',
      'application/json;q=0, */*;q=0.5',
    ])('%s is not acceptable: 406, and nothing is changed', async (accept) => {
      for (const [method, path] of [
        ['GET', '/api/books'],
        ['GET', '/api/books/b-1'],
        ['POST', '/api/books'],
        ['PATCH', '/api/books/b-1'],
      ] as const) {
        const body = method === 'GET' ? undefined : { book: { title: 'x' } }
        const response = await api.send(method, path, body, { accept })
        expect([response.status, response.errors[0]?.source], method).toEqual([
          406,
          { header: 'Accept' },
        ])
      }
      expect((await api.get('/api/books')).body).toEqual({ books: [{ id: 'b-1', title: 'Dune' }] })
    })

    it('does not matter to DELETE, which sends no body', async () => {
      expect((await api.delete('/api/books/b-1', { accept: 'text/html' })).status).toBe(204)
    })

    it('is named in Vary', async () => {
      for (const path of ['/api/books', '/api/books/b-1', '/api/books/b-9'])
        expect((await api.get(path)).headers.get('vary')).toMatch(/accept/i)
    })
  })

  describe('Content-Type', () => {
    const body = { book: { title: 'x' } }

    it.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])('%s is accepted', async (type) => {
      expect((await api.post('/api/books', body, { 'content-type': type })).status).toBe(201)
    })

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/xml',
      'application/vnd.api+json',
      'application/jsonp',
      'application/json; charset=latin1',
      'application/merge-patch+json',
      'json',
      '',
    ])('%j is unsupported: 415, and nothing is changed', async (type) => {
      const response = await api.post('/api/books', body, { 'content-type': type })
      expect([response.status, response.errors[0]?.source]).toEqual([
        415,
        { header: 'Content-Type' },
      ])
      expect((await api.get('/api/books')).ids('books')).toEqual(['b-1'])
    })

    it('application/merge-patch+json is read by PATCH alone', async () => {
      const type = { 'content-type': 'application/merge-patch+json' }
      expect((await api.patch('/api/books/b-1', body, type)).status).toBe(200)
      expect((await api.put('/api/books/b-1', body, type)).status).toBe(415)
    })

    it('415 of PATCH lists the supported types in Accept-Patch', async () => {
      const response = await api.patch('/api/books/b-1', body, { 'content-type': 'text/plain' })
      expect([response.status, response.headers.get('accept-patch')]).toEqual([
        415,
        'application/json, application/merge-patch+json',
      ])
    })

    it('a compressed body is 415', async () => {
      const response = await api.post('/api/books', body, { 'content-encoding': 'gzip' })
      expect([response.status, response.errors[0]?.source]).toEqual([
        415,
        { header: 'Content-Encoding' },
      ])
    })

    it('PUT with Content-Range is 400', async () => {
      const response = await api.put('/api/books/b-1', body, { 'content-range': 'bytes 0-5/10' })
      expect(response.status).toBe(400)
    })
  })

  describe('the body limit', () => {
    it('refuses more than a mebibyte with 413, and changes nothing', async () => {
      for (const [method, path] of [
        ['POST', '/api/books'],
        ['PATCH', '/api/books/b-1'],
        ['PUT', '/api/books/b-1'],
      ] as const) {
        const response = await api.send(method, path, { book: { title: 'x'.repeat(1_048_576) } })
        expect([response.status, response.errors[0]?.code]).toEqual([413, 'body-too-large'])
      }
      expect((await api.get('/api/books')).body).toEqual({ books: [{ id: 'b-1', title: 'Dune' }] })
    })

    it('accepts a body just below it', async () => {
      expect(
        (await api.post('/api/books', `{"book":{"title":"x"}}${' '.repeat(1_048_000)}`)).status,
      ).toBe(201)
    })

    it('is an option, and counts bytes', async () => {
      const { router } = service(await make(), [Book], { limits: { maxBodyBytes: 40 } })
      const small = client(router)
      const text = (title: string) => `{"book":{"title":"${title}"}}`
      expect((await small.post('/books', text('x'.repeat(40 - text('').length)))).status).toBe(201)
      expect((await small.post('/books', text('x'.repeat(41 - text('').length)))).status).toBe(413)
      expect((await small.post('/books', text('é'.repeat(15)))).status).toBe(413)
    })

    it('applies to a body of unknown length too', async () => {
      const { router } = service(await make(), [Book], { limits: { maxBodyBytes: 1_000 } })
      let pulled = 0
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          pulled++
          controller.enqueue(new TextEncoder().encode('x'.repeat(500)))
        },
      })
      const init = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        duplex: 'half',
      }
      const response = await router.handle(
        new Request('http://localhost/books', init as RequestInit),
      )
      expect(response.status).toBe(413)
      expect(pulled).toBeLessThan(20)
    })
  })

  describe('limits of a query', () => {
    it('refuses too many parameters and too long a query string with 400', async () => {
      const many = Array.from({ length: 300 }, (_, index) => `filter[title][ne]=${index}`).join('&')
      expect((await api.get(`/api/books?${many}`)).status).toBe(400)
      expect(
        (await api.get(`/api/books?filter[title]=${'x'.repeat(40_000)}`)).errors[0]?.code,
      ).toBe('limit-exceeded')
    })

    it('refuses a like with too many wildcards with 400, and names the limit', async () => {
      const response = await api.get(`/api/books?filter[title][like]=${'%25x'.repeat(30)}`)
      expect([response.status, response.errors[0]?.source]).toEqual([
        400,
        { parameter: 'filter[title][like]' },
      ])
      expect(response.errors[0]?.detail).toContain('16')
    })

    it('refuses a page too far into the list with 400', async () => {
      for (const query of ['page[offset]=99999999', 'page[number]=99999999'])
        expect((await api.get(`/api/books?${query}`)).errors[0]?.code).toBe('limit-exceeded')
    })

    it('refuses parameters where an operation has none', async () => {
      expect((await api.delete('/api/books/b-1?force=true')).status).toBe(400)
      expect((await api.get('/api/books/b-1?filter[title]=x')).status).toBe(400)
      expect((await api.get('/api/books/b-1?page[size]=1')).status).toBe(400)
      expect((await api.get('/api/books/b-1')).status).toBe(200)
    })
  })
})
