import { fileURLToPath } from 'node:url'
import { type ApiRequest, type ApiResponse, errorCatalog } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { beforeAll, describe, expect, it } from 'vitest'
import { bookstore, jsonApiBookstore } from './bookstore.ts'
import { errorsPage } from './errors-page.ts'
import { logged } from './logged.ts'
import { rootPage } from './root-page.ts'
import { seed } from './seed.ts'
import { settings } from './settings.ts'

const data = fileURLToPath(new URL('data', import.meta.url))
const options = { store: memory(), blobs: memoryBlobs(), baseUrl: 'http://books.example' }
const router = bookstore(options)
const jsonApiRouter = jsonApiBookstore(options)

async function sendRequest(path: string, init?: RequestInit) {
  const mounted = path.startsWith(jsonApiRouter.basePath) ? jsonApiRouter : router
  const response = await mounted.handle(new Request(`http://localhost${path}`, init))
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
  }
}

function send(method: string, path: string, body: object) {
  return sendRequest(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

beforeAll(async () => {
  await router.open()
  await seed(router, data)
})

describe('the bookstore', () => {
  it.each([
    ['authors', 100],
    ['publishers', 40],
    ['genres', 25],
    ['books', 200],
    ['reviews', 50],
  ])('has real %s, at least %i', async (plural, least) => {
    const { body } = await sendRequest(`/api/${plural}`)
    expect(body[plural].length).toBeGreaterThanOrEqual(least)
  })

  it('has no relation to a missing item', async () => {
    const { body } = await sendRequest('/api/books?include=author,publisher,genres')
    const ids = (plural: string) =>
      new Set<string>(body[plural].map((item: { id: string }) => item.id))
    const [authors, publishers, genres] = [ids('authors'), ids('publishers'), ids('genres')]
    for (const book of body.books) {
      expect(authors).toContain(book.author)
      if (book.publisher !== null) expect(publishers).toContain(book.publisher)
      for (const genre of book.genres) expect(genres).toContain(genre)
    }
  })

  describe('has actions on books', () => {
    beforeAll(() =>
      send('POST', '/api/books', {
        book: { id: 'actions', title: 'Actions', price: 9.99, author: 'mary-shelley' },
      }),
    )

    it('discount lowers the price by a percentage', async () => {
      const { status, body } = await send('POST', '/api/books/actions/discount', { percent: 10 })
      expect([status, body.book.price]).toEqual([200, 8.99])
      expect((await send('POST', '/api/books/actions/discount', { percent: 101 })).status).toBe(422)
    })

    it('restock adds copies, however many requests arrive at once', async () => {
      const responses = await Promise.all(
        Array.from({ length: 100 }, () =>
          send('POST', '/api/books/actions/restock', { amount: 1 }),
        ),
      )
      expect(responses.every(({ status }) => status === 200)).toBe(true)
      expect(Math.max(...responses.map(({ body }) => body.stock))).toBe(100)
      expect((await send('POST', '/api/books/actions/restock', { amount: 0 })).status).toBe(422)
    })

    it('reserve takes copies from the stock while there are enough', async () => {
      const reserve = (quantity: number) => send('POST', '/api/books/actions/reserve', { quantity })
      const responses = await Promise.all(Array.from({ length: 12 }, () => reserve(10)))
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(10)
      expect(responses.filter(({ status }) => status === 409)).toHaveLength(2)
      expect((await sendRequest('/api/books/actions')).body.book.stock).toBe(0)
    })

    it('run under JSON:API too', async () => {
      expect(
        (await send('POST', '/json-api/books/actions/restock', { amount: 3 })).body.meta,
      ).toEqual({ stock: 3 })
      const { body } = await send('POST', '/json-api/books/actions/discount', { percent: 50 })
      expect(body.data.attributes.price).toBe(4.5)
    })
  })

  it('shows the same books under JSON:API', async () => {
    const { body } = await sendRequest(
      '/json-api/authors/mary-shelley/books?sort=title&fields[books]=title',
    )
    const { body: plain } = await sendRequest('/api/books?filter[author]=mary-shelley&sort=title')
    const titles = body.data.map((book: { attributes: { title: string } }) => book.attributes.title)
    expect(titles).toEqual(plain.books.map((book: { title: string }) => book.title))
    expect(body.links.self).toBe(
      'http://books.example/json-api/authors/mary-shelley/books?sort=title&fields%5Bbooks%5D=title',
    )
  })

  it('is seeded once, so that deleted items stay deleted', async () => {
    expect((await sendRequest('/api/reviews/r-001', { method: 'DELETE' })).status).toBe(204)
    await seed(router, data)
    expect((await sendRequest('/api/reviews/r-001')).status).toBe(404)
  })

  it('sends an absolute Location header', async () => {
    const { status, headers } = await send('POST', '/api/genres', {
      genre: { id: 'tales-of-the-deep', name: 'Tales of the deep' },
    })
    expect([status, headers.get('location')]).toEqual([
      201,
      'http://books.example/api/genres/tales-of-the-deep',
    ])
  })

  it('requires the client to choose the id of a genre', async () => {
    expect(
      (await send('POST', '/api/genres', { genre: { name: 'No id' } })).body.errors[0].code,
    ).toBe('invalid-id')
  })

  it('never sends the purchase price of a book or the email address of a reviewer', async () => {
    const { body: books } = await sendRequest('/api/books')
    const { body: reviews } = await sendRequest('/api/reviews')
    expect(JSON.stringify(books)).not.toMatch(/costPrice/i)
    expect(JSON.stringify(reviews)).not.toMatch(/email|@example/)
  })

  it('accepts an email address with a review, and sets the time itself', async () => {
    const { status, body } = await send('POST', '/api/reviews', {
      review: {
        rating: 5,
        reviewer: 'Ada',
        email: 'ada@example.com',
        book: 'frankenstein',
        createdAt: '1999-01-01T00:00:00Z',
      },
    })
    expect(status).toBe(201)
    expect(body.review.email).toBeUndefined()
    expect(Date.parse(body.review.createdAt)).toBeGreaterThan(Date.parse('2025-01-01T00:00:00Z'))
  })

  it('refuses to delete authors with books, deletes reviews with their book, and sets a deleted publisher to null', async () => {
    expect((await sendRequest('/api/authors/mary-shelley', { method: 'DELETE' })).status).toBe(409)
    const { body } = await sendRequest('/api/reviews?filter[book]=frankenstein')
    expect(body.reviews.length).toBeGreaterThan(0)
    expect((await sendRequest('/api/publishers/lackington', { method: 'DELETE' })).status).toBe(204)
    expect((await sendRequest('/api/books/frankenstein')).body.book.publisher).toBeNull()
    expect((await sendRequest('/api/books/frankenstein', { method: 'DELETE' })).status).toBe(204)
    expect((await sendRequest('/api/reviews?filter[book]=frankenstein')).body.reviews).toEqual([])
  })

  it('gives books a strong ETag and publishers a weak one', async () => {
    const book = await sendRequest('/api/books/dracula')
    expect(book.headers.get('etag')).toBe(`"${book.body.book.hash}"`)
    expect((await sendRequest('/api/publishers/john-murray')).headers.get('etag')).toMatch(
      /^W\/"[0-9a-f]{8}"$/,
    )
  })

  it('refuses an ISBN that another book has', async () => {
    const book = { title: 'Twice', price: 1, author: 'bram-stoker', isbn: '9780000000002' }
    expect((await send('POST', '/api/books', { book })).status).toBe(201)
    const second = await send('POST', '/api/books', { book })
    expect([second.status, second.body.errors[0].code, second.body.errors[0].source]).toEqual([
      409,
      'value-taken',
      { pointer: '/book/isbn' },
    ])
  })
})

describe('the settings', () => {
  it('have defaults when no environment variable is set', () => {
    expect(settings({ DATABASE_URL: 'memory:' })).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      seed: true,
      log: true,
    })
  })

  it.each([['-1'], ['65536'], ['http'], ['3.5']])(
    'refuse the port %s with a full sentence',
    (PORT) => {
      expect(() => settings({ PORT })).toThrow(
        `PORT must be a number from 0 to 65535 (0 picks a free port); got '${PORT}'.`,
      )
    },
  )

  it('refuse an unknown database', () => {
    expect(() => settings({ DATABASE_URL: 'mysql://x' })).toThrow("got 'mysql://x'.")
  })
})

const request: ApiRequest = { method: 'GET', path: '/', query: '', headers: {}, body: undefined }

function textOf(page: ApiResponse | undefined): string {
  return page?.body.kind === 'text' ? page.body.text : ''
}

describe('the root page', () => {
  it('links only to addresses that exist', async () => {
    const links = [...textOf(rootPage(request)).matchAll(/href="([^"]+)"/g)].map((match) =>
      match[1]!.replaceAll('&amp;', '&'),
    )
    expect(links.length).toBeGreaterThan(4)
    for (const link of links.filter((link) => !link.includes('frankenstein'))) {
      const page = errorsPage({ ...request, path: link })
      expect(page ? page.status : (await sendRequest(link)).status, link).toBe(200)
    }
  })

  it('responds only to GET and HEAD at the root', () => {
    expect(rootPage({ ...request, path: '/api' })).toBeUndefined()
    expect(rootPage({ ...request, method: 'POST' })).toMatchObject({
      status: 405,
      headers: { allow: 'GET, HEAD' },
    })
  })
})

describe('the page of errors', () => {
  const page = textOf(errorsPage({ ...request, path: '/errors' }))

  it('has a row for every error code', async () => {
    for (const code of Object.keys(errorCatalog)) expect(page).toContain(`<tr id="${code}">`)
    for (const path of [
      '/json-api/books/nope',
      '/json-api/nope',
      '/json-api/books?x=1&sort=blurb',
    ]) {
      for (const { links } of (await sendRequest(path)).body.errors) {
        const [address, code] = String(links.type).split('#')
        if (address === `${options.baseUrl}/errors`) expect(page).toContain(`<tr id="${code}">`)
        else expect(address).toMatch(/^https:\/\/jsonapi\.org\/profiles\//)
      }
    }
  })

  it('responds only to GET and HEAD at its address', () => {
    expect(errorsPage(request)).toBeUndefined()
    expect(errorsPage({ ...request, path: '/errors', method: 'PUT' })).toMatchObject({
      status: 405,
    })
  })
})

describe('the log', () => {
  it('3.3, log injection: writes one line per request, without control characters', async () => {
    const lines: string[] = []
    const service = logged(router, (line) => lines.push(line))
    await service.respond({
      method: 'GET',
      path: '/api/books/\u001b[31m',
      query: 'x="\n',
      headers: {},
      body: undefined,
    })
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^GET \/api\/books\/\\u001b\[31m\?x=\\"\\n 4\d\d \d+\.\d ms$/)
  })
})
