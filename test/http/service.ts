import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ApiError,
  type ApiRequest,
  createRouter,
  field,
  hash,
  model,
  type Policy,
  type Router,
  type RouterOptions,
  type Store,
  toMany,
  toOne,
} from 'resourcery'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import type { RequestBody } from 'resourcery/types'
import { expect } from 'vitest'
import { z } from 'zod'
import { afterEachTest } from '../support/after-tests.ts'
import { disposeTogether } from '../support/dispose-together.ts'
import { otherStore } from '../support/stores.ts'

/** The stores that every behaviour is tested on. */
export type StoreKind = 'memory' | 'sqlite' | 'postgres' | 'sqlite-tables'
const otherKind = process.env.TEST_STORE as StoreKind
export const storeKinds: readonly StoreKind[] = otherStore ? [otherKind] : ['memory', 'sqlite']
/** Stores that must lead to the same responses. */
export const comparedKinds: readonly StoreKind[] = ['memory', otherStore ? otherKind : 'sqlite']

export interface OpenedStore {
  readonly store: Store
  dispose(): Promise<void>
}

/** An empty store; SQLite is loaded only when needed, in a folder of its own. */
export async function openStore(kind: StoreKind): Promise<OpenedStore> {
  if (kind === 'memory') {
    const store = memory()
    return { store, dispose: () => store.close() }
  }
  if (kind !== 'sqlite') {
    const store = await otherStore!.make()
    return { store, dispose: () => store.close() }
  }
  const { sqlite } = await import('resourcery/sqlite')
  const folder = await mkdtemp(join(tmpdir(), 'service-'))
  const store = sqlite(join(folder, 'shop.db'), { durability: 'normal' })
  return {
    store,
    dispose: async () => {
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const disposals: (() => Promise<void>)[] = []

const reportedErrors: unknown[] = []
const checks: (() => Promise<void>)[] = []

afterEachTest(async () => {
  try {
    for (const check of checks.splice(0)) await check()
  } finally {
    for (const dispose of disposals.splice(0)) await disposeTogether(dispose)
  }
  expect(reportedErrors.splice(0)).toEqual([])
})

/** Fails a test that gets an error of the service itself. An unknown method is none. */
export function failOnFault(error: unknown): void {
  if (!(error instanceof ApiError && error.status === 501)) reportedErrors.push(error)
}

/** An empty store that is closed and removed some time after the test. */
export async function storeForTest(kind: StoreKind): Promise<Store> {
  const { store, dispose } = await openStore(kind)
  disposals.push(dispose)
  return store
}

export class Author extends model('author', {
  name: z.string().min(1).max(200),
  bio: z.string().max(2_000).optional(),
  books: toMany('book', { inverse: 'author' }),
  hash: hash(),
}) {}

/** Without a hash: its ETag is weak. */
export class Publisher extends model('publisher', {
  name: z.string().min(1).max(200),
  country: z.string().optional(),
}) {}

export class Genre extends model(
  'genre',
  { name: z.string().min(1), parent: toOne('genre', { optional: true }) },
  { ids: 'client' },
) {}

export class Book extends model('book', {
  title: z.string().min(1).max(300),
  isbn: field(z.string().optional(), { unique: true }),
  price: z.number().nonnegative(),
  inStock: z.boolean().default(true),
  pageCount: field(z.int().positive().optional(), { wire: 'pages' }),
  publishedAt: z.iso.date().optional(),
  tags: z.array(z.string().max(50)).max(20).default([]),
  dimensions: z
    .object({ width: z.number(), height: z.number(), unit: z.string().optional() })
    .optional(),
  costPrice: field(z.number().optional(), { hidden: true }),
  author: toOne('author'),
  publisher: toOne('publisher', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
}) {}

export class Review extends model('review', {
  rating: z.int().min(1).max(5),
  text: z.string().max(2_000).optional(),
  email: field(z.string().optional(), { writeOnly: true }),
  createdAt: field(
    z.string().default(() => '2024-05-01T12:00:00Z'),
    { readOnly: true },
  ),
  book: toOne('book', { onDelete: 'cascade' }),
}) {}

/** PUT creates it. */
export class Label extends model(
  'label',
  { name: z.string().min(1), hash: hash() },
  { upsert: true },
) {}

/** Written with `If-Match` only. */
export class Ledger extends model(
  'ledger',
  { total: z.number(), hash: hash() },
  { requireMatch: true },
) {}

export const shopModels = [Author, Publisher, Genre, Book, Review, Label, Ledger] as const

export type ShopOptions = Partial<Omit<RouterOptions, 'policy' | 'store'>> & {
  readonly policy?: Policy
}

/** A small bookstore at `/api`, without items. Errors of the service itself fail the test. */
export function shopOn(store: Store, options: ShopOptions = {}): Router {
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    onError: failOnFault,
    ...options,
    store,
  })
  for (const shopModel of shopModels) router.prepare(shopModel)
  return router
}

export async function stock(router: Router): Promise<void> {
  await router.load(Author, [
    { id: 'a1', name: 'Mary Shelley', bio: 'Wrote at Lake Geneva' },
    { id: 'a2', name: 'Bram Stoker' },
  ])
  await router.load(Publisher, [
    { id: 'p1', name: 'Lackington', country: 'GB' },
    { id: 'p2', name: 'Constable' },
  ])
  await router.load(Genre, [
    { id: 'fiction', name: 'Fiction' },
    { id: 'gothic', name: 'Gothic', parent: 'fiction' },
  ])
  await router.load(Book, [
    {
      id: 'b1',
      title: 'Frankenstein',
      isbn: '9780000000001',
      price: 9.5,
      pageCount: 280,
      publishedAt: '1818-01-01',
      tags: ['monster', 'ice'],
      dimensions: { width: 110, height: 180, unit: 'mm' },
      costPrice: 4.25,
      author: 'a1',
      publisher: 'p1',
      genres: ['gothic', 'fiction'],
    },
    {
      id: 'b2',
      title: 'Dracula',
      isbn: '9780000000002',
      price: 8,
      author: 'a2',
      genres: ['gothic'],
    },
    { id: 'b3', title: 'The Last Man', price: 12, author: 'a1', publisher: 'p1' },
  ])
  await router.load(Review, [
    { id: 'r1', rating: 5, text: 'Alive!', email: 'reader@example.org', book: 'b1' },
  ])
  await router.load(Label, [{ id: 'l1', name: 'new' }])
  await router.load(Ledger, [{ id: 'd1', total: 1 }])
}

/** A bookstore with a few items, on a store of that kind that is removed after the test. */
export async function shop(kind: StoreKind = 'memory', options: ShopOptions = {}): Promise<Router> {
  const router = shopOn(await storeForTest(kind), options)
  await stock(router)
  return router
}

/** A response, read to its end. */
export interface TestResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON, with the type that the test expects. */
  json<T = Document>(): T
}

export interface Problems {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly errors: readonly {
    readonly status: number
    readonly code: string
    readonly title: string
    readonly detail: string
    readonly source?: {
      readonly pointer?: string
      readonly parameter?: string
      readonly header?: string
    }
    readonly meta?: Readonly<Record<string, unknown>>
  }[]
}

export type Item = { readonly id: string } & Readonly<Record<string, unknown>>
export type Document = Readonly<Record<string, Item>>
export type Listing = Readonly<Record<string, readonly Item[]>>

export type HeaderLines = ConstructorParameters<typeof Headers>[0]

export interface Sending {
  readonly headers?: HeaderLines
  /** Sent as JSON. */
  readonly json?: unknown
  /** Sent as it is, with the JSON media type unless a header is given. */
  readonly body?: string | Uint8Array
}

/** Sends a web request to the router, without a socket. */
export async function send(
  router: Pick<Router, 'handle'>,
  method: string,
  target: string,
  sending: Sending = {},
): Promise<TestResponse> {
  const headers = new Headers(sending.headers)
  const text = sending.json === undefined ? sending.body : JSON.stringify(sending.json)
  if (text !== undefined && !headers.has('content-type'))
    headers.set('content-type', 'application/json')
  // Bytes, because a string would set a media type of its own.
  const body = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const init =
    body === undefined
      ? { method, headers }
      : { method, headers, body: body as Uint8Array<ArrayBuffer> }
  const response = await router.handle(new Request(`http://localhost${target}`, init))
  return responseOf(response.status, response.headers, await response.text())
}

/**
 * Passes a plain request to the router, with paths, methods and bodies that no web request allows.
 */
export async function sendPlain(
  router: Pick<Router, 'respond'>,
  request: Partial<ApiRequest>,
): Promise<TestResponse> {
  const whole: ApiRequest = {
    method: 'GET',
    path: '/',
    query: '',
    headers: {},
    body: undefined,
    ...request,
  }
  const { status, headers, body } = await router.respond(whole)
  if (body.kind === 'bytes')
    return responseOf(status, new Headers(headers), new TextDecoder().decode(body.bytes))
  if (body.kind === 'buffers')
    return responseOf(status, new Headers(headers), Buffer.concat(body.buffers).toString('utf8'))
  if (body.kind !== 'stream')
    return responseOf(status, new Headers(headers), body.kind === 'text' ? body.text : '')
  const parts: string[] = []
  for await (const chunk of body.chunks)
    parts.push(typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8'))
  return responseOf(status, new Headers(headers), parts.join(''))
}

export function plainBody(bytes: Uint8Array | string): RequestBody {
  const whole = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  return {
    bytes: async () => whole,
    stream: async function* () {
      yield whole
    },
  }
}

function responseOf(status: number, headers: Headers, text: string): TestResponse {
  return { status, headers, text, json: <T>() => JSON.parse(text) as T }
}

export function get(
  router: Router,
  target: string,
  headers: HeaderLines = {},
): Promise<TestResponse> {
  return send(router, 'GET', target, { headers })
}

/** The ETag of a GET now. */
export async function tagOf(router: Router, target: string): Promise<string> {
  const response = await get(router, target)
  const tag = response.headers.get('etag')
  if (response.status !== 200 || tag === null)
    throw new Error(`${target} has no tag: ${response.status} ${response.text}`)
  return tag
}

/** The codes of an error response, which has to be a valid problem document. */
export function codesOf(response: TestResponse): readonly string[] {
  const problems = response.json<Problems>()
  if (
    response.headers.get('content-type') !== 'application/problem+json' ||
    problems.status !== response.status
  )
    throw new Error(
      `This is no problem document of the response's status: ${response.status} ${response.text}`,
    )
  return problems.errors.map((error) => error.code)
}

/** A shop whose data must be unchanged at the end of the test. */
export async function unchangingShop(kind?: StoreKind, options?: ShopOptions): Promise<Router> {
  const router = await shop(kind, options)
  const before = await contents(router)
  checks.push(async () => expect(await contents(router)).toBe(before))
  return router
}

/** All data of the shop as text, to compare before and after. */
export async function contents(router: Router): Promise<string> {
  const texts = await Promise.all(
    shopModels.map(
      async (shopModel) =>
        (await get(router, `/api/${shopModel.options.plural ?? pluralOf(shopModel.modelName)}`))
          .text,
    ),
  )
  return texts.join('\n')
}

function pluralOf(name: string): string {
  return `${name}s`
}
