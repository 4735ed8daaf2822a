import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  action,
  createRouter,
  field,
  type Middleware,
  model,
  type RouterOptions,
  StoreUnavailable,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

const mediaType = 'application/vnd.api+json'
const atomicType = `${mediaType};ext="https://jsonapi.org/ext/atomic"`
const Amount = z.object({ amount: z.int() })

class Book extends model('book', { title: z.string(), stock: z.int().default(0) }) {
  restock({ amount }: z.infer<typeof Amount>): void {
    this.stock += amount
  }

  static {
    action(this, 'restock', Amount)
  }
}

async function library(options: Partial<RouterOptions> = {}, middleware: Middleware = {}) {
  const router = createRouter({ policy: jsonApi(), store: memory(), ...options })
  router.prepare(Book).use(middleware)
  await router.load(Book, [{ id: 'b', title: 'Dune' }])
  return async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await router.handle(new Request(`http://localhost${path}`, init))
    const { errors = [] } = (await response.json()) as {
      errors?: { code: string; detail: string; source?: object }[]
    }
    return { status: response.status, error: errors[0] }
  }
}

describe('The errors for common mistakes with JSON:API say', () => {
  it('that the input of an action belongs in meta, or is sent as plain JSON', async () => {
    const call = await library()
    const { status, error } = await call(
      'POST',
      '/books/b/restock',
      { 'content-type': mediaType },
      { amount: 3 },
    )
    expect([status, error?.code, error?.source]).toEqual([400, 'invalid-document', { pointer: '' }])
    expect(error?.detail).toMatch(/'meta'.*application\/json/)
  })

  it('that the media type has no charset parameter', async () => {
    const call = await library()
    const type = `${mediaType}; charset=utf-8`
    const accepted = await call('GET', '/books', { accept: type })
    expect([accepted.status, accepted.error?.detail]).toEqual([
      406,
      expect.stringContaining("Only the parameter 'profile' is supported."),
    ])
    const response = await call('POST', '/books', { 'content-type': type }, {})
    expect([response.status, response.error?.detail]).toEqual([
      415,
      expect.stringContaining("Only the parameter 'profile' is supported."),
    ])
  })

  it('which types exist, where a batch names another one', async () => {
    const call = await library()
    const operation = { op: 'remove', ref: { type: 'book', id: 'b' } }
    const { error } = await call(
      'POST',
      '/operations',
      { 'content-type': atomicType },
      { 'atomic:operations': [operation] },
    )
    expect(error?.detail).toBe("Unknown type 'book'. Did you mean 'books'?")
  })
})

describe('A value that matches no alternative of a union', () => {
  it('is refused with the errors of each alternative', async () => {
    const size = z.union([z.int(), z.enum(['small', 'large']), z.object({ width: z.number() })])
    const router = createRouter({ policy: rest(), store: memory() })
    router.prepare(model('film', { size }))
    const headers = { 'content-type': 'application/json' }
    const post = async (input: unknown) => {
      const body = JSON.stringify({ film: { size: input } })
      const response = await router.handle(
        new Request('http://localhost/films', { method: 'POST', headers, body }),
      )
      return ((await response.json()) as { detail: string }).detail
    }
    expect(await post(true)).toBe(
      "Invalid value for 'size': Invalid input: expected number, received boolean; or " +
        'Invalid option: expected one of "small"|"large"; or Invalid input: expected object, received boolean.',
    )
    expect(await post({ width: 'x' })).toContain(
      'or width: Invalid input: expected number, received string.',
    )
  })
})

describe('A required field that no client can set', () => {
  for (const [name, visibility, detail] of [
    [
      'hidden',
      { hidden: true },
      'Clients cannot create a film: only the service can set a required field.',
    ],
    [
      'read-only',
      { readOnly: true },
      "Clients cannot create a film: only the service can set the required field 'cost'.",
    ],
  ] as const) {
    it(`makes creating items impossible, and errors do not ask for it, where it is ${name}`, async () => {
      const Film = model('film', { title: z.string(), cost: field(z.number(), visibility) })
      const router = createRouter({ policy: rest(), store: memory() })
      router.prepare(Film)
      const plain = await router.handle(
        new Request('http://localhost/films', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"film":{"title":"M"}}',
        }),
      )
      expect([plain.status, ((await plain.json()) as { detail: string }).detail]).toEqual([
        403,
        detail,
      ])
    })
  }
})

describe('A request hook that returns something that is no response', () => {
  for (const [name, hook] of [
    ['at once', () => new Response('no', { status: 401 })],
    ['later', async () => new Response('no', { status: 401 })],
  ] as const) {
    it(`ends the request with 500, and the reported error says what is expected (${name})`, async () => {
      const reportedErrors: unknown[] = []
      const call = await library(
        { onError: (error) => reportedErrors.push(error) },
        { request: { any: hook as never } },
      )
      expect((await call('GET', '/books', {})).status).toBe(500)
      expect(reportedErrors).toMatchObject([{ message: expect.stringContaining('respond()') }])
    })
  }
})

describe('The error for an SQLite file that cannot be opened names the file', () => {
  async function opening(pathIn: (folder: string) => string | Promise<string>): Promise<unknown> {
    const folder = await mkdtemp(join(tmpdir(), 'resourcery-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const router = createRouter({ policy: rest(), store: sqlite(await pathIn(folder)) })
    router.prepare(Book)
    return router.open().catch((error: unknown) => error)
  }

  it('where it is a folder', async () => {
    const error = await opening((folder) => folder)
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect((error as Error).message).toMatch(/^Cannot open the SQLite file '.*resourcery-.*': /)
  })

  it('where its folder cannot be made', async () => {
    const error = await opening(async (folder) => {
      await writeFile(join(folder, 'file'), '')
      return join(folder, 'file', 'books.db')
    })
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect((error as Error).message).toMatch(/books\.db': E(EXIST|NOTDIR)/)
  })

  it('where it is not a database', async () => {
    const error = await opening(async (folder) => {
      await writeFile(join(folder, 'books.db'), 'no database at all, '.repeat(100))
      return join(folder, 'books.db')
    })
    expect((error as Error).message).toMatch(/books\.db': file is not a database/)
  })
})

describe('What code of the service calls with something else says what it expects', () => {
  const router = createRouter({ policy: rest(), store: memory() })
  router.prepare(Book)
  const untyped = router as unknown as Record<string, (...values: unknown[]) => unknown>
  const books = router.items(Book) as unknown as typeof untyped

  it.each([
    ['load', ['recipe', []], "load() expects a model, got 'recipe'."],
    ['items', ['author'], "items() expects a model, got 'author'."],
    ['items', [], 'items() expects a model, got undefined.'],
    ['query', [null], 'query() expects a model, got null.'],
    ['erase', [{}, 'a'], 'erase() expects a model, got {}.'],
    ['load', [Book, { id: 'b' }], 'load() expects an array of items; for one item, write [item].'],
    ['load', [Book], 'load() expects an array of items; for one item, write [item].'],
  ])('router.%s with %j', async (name, values, message) => {
    await expect(async () => untyped[name]!(...values)).rejects.toThrow(message)
  })

  it.each(['update', 'replace', 'delete', 'call'])('%s of items without an id', async (name) => {
    await expect(async () => books[name]!({ id: 'x' })).rejects.toThrow(
      `${name}() expects the id of an item first, as a string; got object.`,
    )
  })
})
