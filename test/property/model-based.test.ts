import fc from 'fast-check'
import type { Router } from 'resourcery'
import { describe, expect, test } from 'vitest'
import {
  type Document,
  get,
  type Item,
  type Listing,
  openStore,
  send,
  shopOn,
  storeKinds,
  type TestResponse,
} from '../http/service.ts'

const numRuns = Math.ceil(Number(process.env.FUZZ_RUNS ?? 300) / 5)
const timeout = 60_000 + numRuns * 1_000

type Kind = 'author' | 'publisher' | 'genre' | 'book' | 'review' | 'label'
type Members = Readonly<Record<string, unknown>>

/**
 * The expected item: what a GET sends, without the hash, and the ETags it has had, the current one
 * last.
 */
interface StoredItem {
  members: Members
  tags: string[]
}

/** The expected state of the service. */
class Shop {
  readonly items = new Map<Kind, Map<string, StoredItem>>(
    (['author', 'publisher', 'genre', 'book', 'review', 'label'] as const).map((kind) => [
      kind,
      new Map(),
    ]),
  )

  of(kind: Kind): Map<string, StoredItem> {
    return this.items.get(kind)!
  }

  books(): StoredItem[] {
    return [...this.of('book').values()]
  }
}

const hasHash = (kind: Kind) => kind === 'author' || kind === 'book' || kind === 'label'
const ids = ['1', '2', '3', 'A', 'a', '~']
const someId = fc.constantFrom(...ids)

const generated: Readonly<Record<Kind, fc.Arbitrary<Members>>> = {
  author: fc.record(
    { name: fc.constantFrom('Ann', 'Bob', 'ann', 'Émile'), bio: fc.constantFrom('x', 'y') },
    { requiredKeys: ['name'] },
  ),
  publisher: fc.record(
    { name: fc.constantFrom('P', 'Q'), country: fc.constantFrom('FR', 'GB') },
    { requiredKeys: ['name'] },
  ),
  genre: fc.record(
    { name: fc.constantFrom('G', 'H'), parent: fc.option(someId) },
    { requiredKeys: ['name'] },
  ),
  book: fc.record(
    {
      title: fc.constantFrom('T', 'U', 'Ü', '😀', 'Tt'),
      isbn: fc.constantFrom('i1', 'i2'),
      price: fc.constantFrom(0, 1, 2.5, 10),
      inStock: fc.boolean(),
      pages: fc.constantFrom(1, 20, 100),
      tags: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }),
      dimensions: fc.constantFrom<Members>(
        { width: 1, height: 2 },
        { width: 3, height: 2, unit: 'mm' },
      ),
      author: someId,
      publisher: fc.option(someId),
      genres: fc.array(someId, { maxLength: 3 }),
    },
    { requiredKeys: ['title', 'price', 'author'] },
  ),
  review: fc.record(
    { rating: fc.constantFrom(1, 5), text: fc.constant('t'), book: someId },
    { requiredKeys: ['rating', 'book'] },
  ),
  label: fc.record({ name: fc.constantFrom('L', 'M') }),
}

/** Merge patches: any of the members, also null for optional ones. */
const patches: Readonly<Record<Kind, fc.Arbitrary<Members>>> = {
  author: partly('author', ['bio']),
  publisher: partly('publisher', ['country']),
  genre: partly('genre', ['parent']),
  book: fc
    .tuple(
      partly('book', ['isbn', 'pages', 'dimensions', 'publisher']),
      fc.option(fc.constantFrom<Members>({ width: 9 }, { unit: null }, { unit: 'cm' })),
    )
    .map(([patch, dimensions]) => (dimensions ? { ...patch, dimensions } : patch)),
  review: partly('review', ['text']),
  label: partly('label', []),
}

function partly(kind: Kind, removable: readonly string[]): fc.Arbitrary<Members> {
  return fc
    .tuple(generated[kind], fc.subarray(['0', '1', '2', '3']), fc.subarray([...removable]))
    .map(([whole, kept, removed]) => ({
      ...Object.fromEntries(
        Object.entries(whole).filter((_, index) => kept.includes(String(index % 4))),
      ),
      ...Object.fromEntries(removed.map((name) => [name, null])),
    }))
}

const relations: Readonly<Record<Kind, Readonly<Record<string, Kind>>>> = {
  author: {},
  publisher: {},
  genre: { parent: 'genre' },
  book: { author: 'author', publisher: 'publisher', genres: 'genre' },
  review: { book: 'book' },
  label: {},
}

/** The members of an item as it is sent, in the order of the model, with defaults. */
function completed(kind: Kind, id: string, values: Members): Members {
  const order: Readonly<Record<Kind, readonly string[]>> = {
    author: ['name', 'bio'],
    publisher: ['name', 'country'],
    genre: ['name', 'parent'],
    book: [
      'title',
      'isbn',
      'price',
      'inStock',
      'pages',
      'tags',
      'dimensions',
      'author',
      'publisher',
      'genres',
    ],
    review: ['rating', 'text', 'createdAt', 'book'],
    label: ['name'],
  }
  const defaults: Readonly<Partial<Record<Kind, Members>>> = {
    genre: { parent: null },
    book: { inStock: true, tags: [], publisher: null, genres: [] },
    review: { createdAt: '2024-05-01T12:00:00Z' },
  }
  const all: Members = {
    ...defaults[kind],
    ...values,
    ...(values.genres ? { genres: [...new Set(values.genres as string[])] } : {}),
  }
  return {
    id,
    ...Object.fromEntries(
      order[kind].filter((name) => all[name] !== undefined).map((name) => [name, all[name]]),
    ),
  }
}

function merged(target: Members, patch: Members): Members {
  const result: Record<string, unknown> = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) {
      if (name === 'publisher' || name === 'parent') result[name] = null
      else delete result[name]
    } else if (name === 'dimensions')
      result[name] = merged((target[name] as Members | undefined) ?? {}, value as Members)
    else result[name] = value
  }
  return result
}

const isWhole = (members: Members) => {
  const dimensions = members.dimensions as Members | undefined
  return (
    dimensions === undefined || (dimensions.width !== undefined && dimensions.height !== undefined)
  )
}

/** Does an item exist for every new id? */
/** Does every relation lead to an item? The item may relate to itself, also while it is created. */
function isResolved(
  shop: Shop,
  kind: Kind,
  own: string,
  values: Members,
  before: Members | undefined,
): boolean {
  return Object.entries(relations[kind]).every(([name, target]) => {
    const allowedIds = [before?.[name], ...(target === kind ? [own] : [])].flat()
    return [values[name]]
      .flat()
      .every(
        (id) =>
          id === null ||
          id === undefined ||
          allowedIds.includes(id) ||
          shop.of(target).has(id as string),
      )
  })
}

function isTaken(shop: Shop, kind: Kind, id: string, members: Members): boolean {
  return (
    kind === 'book' &&
    members.isbn !== undefined &&
    shop.books().some((entry) => entry.members.id !== id && entry.members.isbn === members.isbn)
  )
}

/** Preconditions of the headers. */
const preconditions = [
  'none',
  'current',
  'stale',
  'any',
  'other',
  'weak',
  'list',
  'noneMatchAny',
  'noneMatchCurrent',
  'noneMatchOther',
] as const
type Precondition = (typeof preconditions)[number]

function headersOf(
  precondition: Precondition,
  stored: StoredItem | undefined,
): Record<string, string> {
  const current = stored?.tags.at(-1) ?? '"none"'
  const stale = stored && stored.tags.length > 1 ? stored.tags[0]! : '"stale"'
  switch (precondition) {
    case 'none':
      return {}
    case 'current':
      return { 'if-match': current }
    case 'stale':
      return { 'if-match': stale }
    case 'any':
      return { 'if-match': '*' }
    case 'other':
      return { 'if-match': '"other"' }
    case 'weak':
      return { 'if-match': `W/${current.replace('W/', '')}` }
    case 'list':
      return { 'if-match': `"x", ${current}` }
    case 'noneMatchAny':
      return { 'if-none-match': '*' }
    case 'noneMatchCurrent':
      return { 'if-none-match': current }
    case 'noneMatchOther':
      return { 'if-none-match': '"other"' }
  }
}

function holds(kind: Kind, precondition: Precondition, stored: StoredItem | undefined): boolean {
  switch (precondition) {
    case 'none':
    case 'noneMatchOther':
      return true
    case 'any':
      return stored !== undefined
    case 'current':
    case 'list':
      return stored !== undefined && hasHash(kind)
    case 'noneMatchAny':
      return stored === undefined
    case 'noneMatchCurrent':
      return stored === undefined || !hasHash(kind)
    default:
      return false
  }
}

const compared = (item: Item | undefined) => {
  const { hash, ...members } = item ?? { id: '' }
  return members
}

/**
 * Checks that the response has the expected item and the ETag of its version, a new one after a
 * change.
 */
function checkItem(kind: Kind, response: TestResponse, stored: StoredItem, changed: boolean): void {
  const item = response.json<Document>()[kind]
  expect(compared(item)).toEqual(stored.members)
  expect(Object.keys(item!).filter((name) => name !== 'hash')).toEqual(Object.keys(stored.members))
  const tag = response.headers.get('etag')!
  if (hasHash(kind)) expect(tag).toBe(`"${item?.hash}"`)
  else expect(tag).toMatch(/^W\//)
  if (!changed) expect(tag).toBe(stored.tags.at(-1))
  else {
    if (hasHash(kind)) expect(stored.tags).not.toContain(tag)
    stored.tags.push(tag)
  }
}

/** Reads the ETags of items that a delete of another item has changed. */
async function changedElsewhere(router: Router, kind: Kind, stored: StoredItem): Promise<void> {
  checkItem(kind, await get(router, `/api/${kind}s/${stored.members.id}`), stored, true)
}

type Command = fc.AsyncCommand<Shop, Router>

class Create implements Command {
  constructor(
    readonly kind: Kind,
    readonly id: string,
    readonly values: Members,
  ) {}
  check = () => true
  toString = () => `POST ${this.kind} ${JSON.stringify({ id: this.id, ...this.values })}`
  async run(shop: Shop, router: Router): Promise<void> {
    const { kind, id, values: given } = this
    const response = await send(router, 'POST', `/api/${kind}s`, {
      json: { [kind]: { id, ...given } },
    })
    if (shop.of(kind).has(id)) return void expect(response.status).toBe(409)
    if (!isResolved(shop, kind, id, given, undefined)) return void expect(response.status).toBe(422)
    const members = completed(kind, id, given)
    if (isTaken(shop, kind, id, members)) return void expect(response.status).toBe(409)
    expect([response.status, response.headers.get('location')]).toEqual([
      201,
      `/api/${kind}s/${id}`,
    ])
    const stored = { members, tags: [] }
    shop.of(kind).set(id, stored)
    checkItem(kind, response, stored, true)
  }
}

class Read implements Command {
  constructor(
    readonly kind: Kind,
    readonly id: string,
    readonly precondition: Precondition,
  ) {}
  check = () => true
  toString = () => `GET ${this.kind} ${this.id} ${this.precondition}`
  async run(shop: Shop, router: Router): Promise<void> {
    const stored = shop.of(this.kind).get(this.id)
    const target = `/api/${this.kind}s/${this.id}`
    const headers = headersOf(this.precondition, stored)
    const response = await get(router, target, headers)
    const head = await send(router, 'HEAD', target, { headers })
    expect([head.status, head.headers.get('etag')]).toEqual([
      response.status,
      response.headers.get('etag'),
    ])
    if (!stored) return void expect(response.status).toBe(404)
    const isKnown = this.precondition === 'noneMatchAny' || this.precondition === 'noneMatchCurrent'
    if (!isKnown) {
      expect(response.status).toBe(200)
      return checkItem(this.kind, response, stored, false)
    }
    expect([response.status, response.text, response.headers.get('etag')]).toEqual([
      304,
      '',
      stored.tags.at(-1),
    ])
  }
}

class Change implements Command {
  constructor(
    readonly method: 'PATCH' | 'PUT',
    readonly kind: Kind,
    readonly id: string,
    readonly values: Members,
    readonly precondition: Precondition,
  ) {}
  check = () => true
  toString = () =>
    `${this.method} ${this.kind} ${this.id} ${JSON.stringify(this.values)} ${this.precondition}`
  async run(shop: Shop, router: Router): Promise<void> {
    const { method, kind, id, values: given, precondition } = this
    const stored = shop.of(kind).get(id)
    const headers = headersOf(precondition, stored)
    const response = await send(router, method, `/api/${kind}s/${id}`, {
      json: { [kind]: given },
      headers,
    })
    if (!stored && !(kind === 'label' && method === 'PUT'))
      return void expect(response.status).toBe(404)
    const before = stored?.members
    const members = completed(kind, id, method === 'PATCH' ? merged(before!, given) : given)
    if (!isWhole(members) || !isResolved(shop, kind, id, given, before))
      return void expect(response.status).toBe(422)
    const refused = [
      ...(holds(kind, precondition, stored) ? [] : [412]),
      ...(isTaken(shop, kind, id, members) ? [409] : []),
    ]
    if (refused.length > 0) return void expect(refused).toContain(response.status)
    expect(response.status).toBe(stored ? 200 : 201)
    const now = stored ?? { members, tags: [] }
    const changed = JSON.stringify(members) !== JSON.stringify(before)
    now.members = members
    shop.of(kind).set(id, now)
    checkItem(kind, response, now, changed)
  }
}

class Delete implements Command {
  constructor(
    readonly kind: Kind,
    readonly id: string,
    readonly precondition: Precondition,
  ) {}
  check = () => true
  toString = () => `DELETE ${this.kind} ${this.id} ${this.precondition}`
  async run(shop: Shop, router: Router): Promise<void> {
    const { kind, id, precondition } = this
    const stored = shop.of(kind).get(id)
    const response = await send(router, 'DELETE', `/api/${kind}s/${id}`, {
      headers: headersOf(precondition, stored),
    })
    if (!stored) return void expect(response.status).toBe(404)
    const isNeeded = kind === 'author' && shop.books().some((book) => book.members.author === id)
    const refused = [
      ...(holds(kind, precondition, stored) ? [] : [412]),
      ...(isNeeded ? [409] : []),
    ]
    if (refused.length > 0) return void expect(refused).toContain(response.status)
    expect([response.status, response.text]).toEqual([204, ''])
    shop.of(kind).delete(id)
    for (const [from, names] of Object.entries(relations) as [
      Kind,
      Readonly<Record<string, Kind>>,
    ][]) {
      for (const [name, target] of Object.entries(names)) {
        if (target !== kind) continue
        for (const [other, one] of [...shop.of(from)]) {
          const value = one.members[name]
          if (Array.isArray(value) ? !value.includes(id) : value !== id) continue
          if (from === 'review') shop.of(from).delete(other)
          else {
            one.members = {
              ...one.members,
              [name]: Array.isArray(value) ? value.filter((member) => member !== id) : null,
            }
            await changedElsewhere(router, from, one)
          }
        }
      }
    }
  }
}

const byCodePoint = (one: string, other: string) =>
  Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Null is the smallest value, text compares by code points. */
function compare(one: unknown, other: unknown): number {
  if (one === other) return 0
  if (one === undefined || one === null) return other === undefined || other === null ? 0 : -1
  if (other === undefined || other === null) return 1
  return typeof one === 'string' ? byCodePoint(one, String(other)) : Number(one) - Number(other)
}

const queries: Readonly<Record<string, (book: Members, shop: Shop) => boolean>> = {
  '': () => true,
  'filter[price][gte]=2': (book) => Number(book.price) >= 2,
  'filter[isbn][isNull]=true': (book) => book.isbn === undefined,
  'filter[tags][any]=x,y': (book) =>
    (book.tags as string[]).some((tag) => tag === 'x' || tag === 'y'),
  'filter[genres][all]=1,2': (book) =>
    ['1', '2'].every((id) => (book.genres as string[]).includes(id)),
  'filter[author]=a': (book) => book.author === 'a',
  'filter[author.name]=Ann': (book, shop) =>
    shop.of('author').get(book.author as string)?.members.name === 'Ann',
  'filter[publisher.country][ne]=FR': (book, shop) =>
    shop.of('publisher').get(book.publisher as string)?.members.country !== 'FR',
  "filter=or(eq(title,'T'),not(eq(inStock,true)))": (book) =>
    book.title === 'T' || book.inStock !== true,
  'filter[dimensions.width][gt]=1': (book) =>
    Number((book.dimensions as Members | undefined)?.width ?? 0) > 1,
  'filter[title][startsWith]=T': (book) => String(book.title).startsWith('T'),
}

const sorts: Readonly<Record<string, (shop: Shop) => (one: Members, other: Members) => number>> = {
  '': () => () => 0,
  title: () => (one, other) => compare(one.title, other.title),
  '-price': () => (one, other) => compare(other.price, one.price),
  'pages,-title': () => (one, other) =>
    compare(one.pages, other.pages) || compare(other.title, one.title),
  'author.name': (shop) => (one, other) => {
    const name = (book: Members) => shop.of('author').get(book.author as string)?.members.name
    return compare(name(one), name(other))
  },
}

/** Equal items come by id, in the direction of the last key. */
const tieSign = (sort: string) => (/(^|,)-[^,]*$/.test(sort) ? -1 : 1)

class List implements Command {
  constructor(
    readonly query: string,
    readonly size: number,
  ) {}
  check = () => true
  toString = () => `GET books ?${this.query} size=${this.size}`
  async run(shop: Shop, router: Router): Promise<void> {
    for (const sort of Object.keys(sorts)) await this.sorted(sort, shop, router)
  }

  async sorted(sort: string, shop: Shop, router: Router): Promise<void> {
    const expectedItems = shop
      .books()
      .map((stored) => stored.members)
      .filter((book) => queries[this.query]!(book, shop))
      .sort(
        (entry, other) =>
          sorts[sort]!(shop)(entry, other) ||
          tieSign(sort) * byCodePoint(String(entry.id), String(other.id)),
      )
    const query = [this.query, sort && `sort=${sort}`].filter(Boolean).join('&')
    const whole = await get(router, `/api/books?${query}`)
    expect(whole.json<Listing>().books!.map(compared)).toEqual(expectedItems)
    const paged: Members[] = []
    let target: string | undefined = `/api/books?${query}&page[size]=${this.size}&withCount=true`
    while (target !== undefined) {
      const page: TestResponse = await get(router, target)
      const books = page.json<Listing>().books!
      expect(books.length).toBeLessThanOrEqual(this.size)
      expect(page.json<{ meta: unknown }>().meta).toEqual({ page: { total: expectedItems.length } })
      paged.push(...books.map(compared))
      target = /<([^>]+)>; rel="?next"?/.exec(page.headers.get('link') ?? '')?.[1]
    }
    expect(paged).toEqual(expectedItems)
  }
}

/** Every item of every model, in the order of ids, and both sides of a relation. */
class ListAll implements Command {
  check = () => true
  toString = () => 'GET everything'
  async run(shop: Shop, router: Router): Promise<void> {
    for (const [kind, items] of shop.items) {
      const expectedItems = [...items.values()]
        .map((stored) => stored.members)
        .sort((entry, other) => byCodePoint(String(entry.id), String(other.id)))
      expect(
        (await get(router, `/api/${kind}s`)).json<Listing>()[`${kind}s`]!.map(compared),
      ).toEqual(expectedItems)
    }
    for (const id of shop.of('author').keys()) {
      const included = (await get(router, `/api/authors/${id}?include=books`)).json<Listing>()
        .books!
      const expectedItems = shop.books().filter((book) => book.members.author === id)
      expect(included.map((book) => book.id).sort()).toEqual(
        expectedItems.map((book) => book.members.id as string).sort(),
      )
    }
  }
}

const kinds = fc.constantFrom<Kind>(
  'author',
  'author',
  'publisher',
  'genre',
  'book',
  'book',
  'book',
  'review',
  'label',
)
const precondition = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Precondition>('none') },
  { weight: 3, arbitrary: fc.constantFrom(...preconditions) },
)

const commands: fc.Arbitrary<Command>[] = [
  kinds.chain((kind) =>
    fc.tuple(someId, generated[kind]).map(([id, values]) => new Create(kind, id, values)),
  ),
  kinds.chain((kind) =>
    fc.tuple(someId, generated[kind]).map(([id, values]) => new Create(kind, id, values)),
  ),
  fc
    .tuple(kinds, someId, precondition)
    .map(([kind, id, condition]) => new Read(kind, id, condition)),
  kinds.chain((kind) =>
    fc
      .tuple(someId, patches[kind], precondition)
      .map(([id, values, condition]) => new Change('PATCH', kind, id, values, condition)),
  ),
  kinds.chain((kind) =>
    fc
      .tuple(someId, generated[kind], precondition)
      .map(([id, values, condition]) => new Change('PUT', kind, id, values, condition)),
  ),
  fc
    .tuple(kinds, someId, precondition)
    .map(([kind, id, condition]) => new Delete(kind, id, condition)),
  fc
    .tuple(fc.constantFrom(...Object.keys(queries)), fc.constantFrom(1, 2, 5))
    .map(([query, size]) => new List(query, size)),
  fc.constant(new ListAll()),
]

/** Initial items, so that relations have targets. */
const beginnings: readonly Create[] = [
  new Create('author', 'a', { name: 'Ann' }),
  new Create('author', '1', { name: 'Bob', bio: 'x' }),
  new Create('publisher', '1', { name: 'P', country: 'FR' }),
  new Create('genre', '1', { name: 'G' }),
  new Create('genre', '2', { name: 'H', parent: '1' }),
  new Create('book', '1', {
    title: 'T',
    price: 1,
    author: 'a',
    publisher: '1',
    genres: ['2', '1'],
    tags: ['x'],
  }),
  new Create('book', 'A', { title: 'Ü', price: 10, author: '1', pages: 20, isbn: 'i1' }),
  new Create('book', '~', {
    title: 'U',
    price: 2.5,
    author: 'a',
    pages: 100,
    genres: ['2'],
    dimensions: { width: 3, height: 2 },
  }),
]

describe.each(storeKinds)('the service, compared with a plain map, on the %s store', (kind) => {
  test(
    'responds to every sequence of requests as the map says: bodies, ETags, order and relations',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.commands(commands, { size: 'max', maxCommands: 60 }),
          async (sequence) => {
            const { store, dispose } = await openStore(kind)
            try {
              await fc.asyncModelRun(async () => {
                const setup = { model: new Shop(), real: shopOn(store) }
                for (const beginning of beginnings) await beginning.run(setup.model, setup.real)
                return setup
              }, sequence)
            } finally {
              await dispose()
            }
          },
        ),
        { numRuns },
      )
    },
    timeout,
  )
})
