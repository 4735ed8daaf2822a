import fc from 'fast-check'
import { Action, action, field, hash, model, type Router, toMany, toOne } from 'resourcery'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { policies } from '../support/policies.ts'
import { stores } from '../support/stores.ts'

/** The number of runs; an environment variable sets a long form. A failure prints its seed. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 150)
const timeout = 60_000 + numRuns * 400

const Amount = z.object({ amount: z.int() })
const Deep = z.object({
  tree: z.object({ leaves: z.array(z.object({ text: z.string().max(50) })) }),
  note: z.string().nullish(),
})
const Change = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('price'), price: z.number() }),
  z.object({ kind: z.literal('title'), title: z.string() }),
])

class Author extends model('author', { name: z.string() }) {}

class Book extends model('book', {
  title: z.string().min(1).max(80),
  price: z.number().nonnegative(),
  stock: z.int().nonnegative().default(0),
  isbn: field(z.string().optional(), { unique: true }),
  tags: z.array(z.string()).max(5).default([]),
  notes: z.record(z.string(), z.unknown()).default({}),
  anything: z.unknown(),
  costPrice: field(z.number().nonnegative().optional(), { hidden: true }),
  author: toOne('author', { optional: true }),
  others: toMany('book'),
  hash: hash(),
}) {
  @Action({ input: Amount, output: z.object({ stock: z.int() }) })
  restock({ amount }: z.output<typeof Amount>): { stock: number } {
    this.stock += amount
    return { stock: this.stock }
  }

  @Action({ input: z.object({ factor: z.number() }) })
  scale({ factor }: { factor: number }): void {
    this.price *= factor
    this.costPrice = (this.costPrice ?? 1) * factor
  }

  @Action(Change)
  async change(change: z.output<typeof Change>): Promise<void> {
    await new Promise(setImmediate)
    if (change.kind === 'price') this.price = change.price
    else this.title = change.title
  }

  @Action({ input: Deep, output: z.object({ count: z.int(), note: z.string().nullish() }) })
  plant({ tree, note }: z.output<typeof Deep>): {
    count: number
    note?: string | null | undefined
  } {
    this.tags = tree.leaves.map((leaf) => leaf.text)
    return { count: tree.leaves.length, note }
  }

  @Action({
    input: z.object({
      author: z.string().nullable(),
      others: z.array(z.string()),
      isbn: z.string().optional(),
    }),
  })
  relate(to: { author: string | null; others: string[]; isbn?: string | undefined }): void {
    this.author = to.author === null ? null : { id: to.author }
    this.others = to.others.map((id) => ({ id }))
    this.isbn = to.isbn
  }

  @Action({ input: z.record(z.string(), z.unknown()) })
  annotate(notes: Record<string, unknown>): void {
    this.notes = { ...this.notes, ...notes }
  }

  @Action({ input: z.unknown() })
  keep(anything: unknown): void {
    this.anything = anything
  }

  @Action
  rest(): void {}

  pick(places: readonly number[]): void {
    this.tags = places.map((index) => this.tags.at(index) ?? 'none')
  }

  static {
    action(this, 'pick', z.array(z.int()).max(3))
  }
}

const names = [
  'restock',
  'scale',
  'change',
  'plant',
  'relate',
  'annotate',
  'keep',
  'rest',
  'pick',
  'reserve',
  'check-out',
]
const members = [
  'amount',
  'factor',
  'kind',
  'price',
  'title',
  'tree',
  'leaves',
  'text',
  'note',
  'author',
  'others',
].concat([
  'isbn',
  'id',
  'hash',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'meta',
  'data',
  '',
])
const texts = [
  '',
  ' ',
  'price',
  'title',
  'a-1',
  'b-1',
  'b-2',
  '..',
  "' OR 1=1 --",
  '%',
  '𝕊😀',
  '\ufeff',
  '\u202e',
  '\r\nX: 1',
].concat(['x'.repeat(200), 'constructor', '__proto__', '9007199254740993'])

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    ...texts,
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    0.1,
    1e308,
    -1e308,
    5e-324,
    9007199254740991,
  ),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string({ size: 'max', maxLength: 50 }),
)
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.array(fc.tuple(fc.constantFrom(...members), tie('value')), { maxLength: 6 }).map(objectOf),
  ),
})).value

/** A valid request, so that actions are called at all. */
const fit = fc.oneof(
  fc.record({ amount: fc.oneof(fc.integer(), fc.maxSafeInteger()) }),
  fc.record({ factor: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
  fc.record({ kind: fc.constant('price'), price: fc.double({ noNaN: true }) }),
  fc.record({ kind: fc.constant('title'), title: fc.constantFrom(...texts) }),
  fc.record({
    tree: fc.record({
      leaves: fc.array(fc.record({ text: fc.constantFrom(...texts) }), { maxLength: 7 }),
    }),
  }),
  fc.record({
    author: fc.option(fc.constantFrom(...texts)),
    others: fc.array(fc.constantFrom(...texts), { maxLength: 4 }),
    isbn: fc.constantFrom(...texts),
  }),
  fc.array(fc.integer({ min: -3, max: 3 }), { maxLength: 4 }),
  fc.record({ quantity: fc.integer() }),
)

const rawText = fc.constantFrom(
  '',
  ' ',
  'null',
  '{',
  '{"amount":1,"amount":2}',
  '{"amount":1e400}',
  '{"amount":9007199254740993}',
  '{"amount":-0}',
  '{"__proto__":{"amount":1}}',
  '{"amount":1,"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  `${'['.repeat(100)}${']'.repeat(100)}`,
  `${'{"a":'.repeat(70)}1${'}'.repeat(70)}`,
  '"\\ud800"',
  '{"title":"a\\u0000b"}',
  '\ufeff{}',
  '{} trailing',
)

const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => void unhandled.push(error)
beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', onUnhandled)
})
afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
})

describe.each(policies)('Under $name,', (kind) => {
  describe.each(stores)('on $name,', ({ make }) => {
    const reported: unknown[] = []

    async function serviceWithBooks(): Promise<Router> {
      reported.length = 0
      const router = kind.router(await make(), { onError: (error) => reported.push(error) })
      router.prepare(Author)
      router
        .prepare(Book)
        .itemOperation(
          'reserve',
          ({ item, input: { quantity } }) => {
            item.stock -= quantity
          },
          { input: z.object({ quantity: z.int() }) },
        )
        .itemOperation('check-out', async ({ query }) => void (await query(Author).size()))
      await router.load(Author, [{ id: 'a-1', name: 'Ada' }])
      await router.load(Book, [
        { id: 'b-1', title: 'One', price: 1, stock: 1, isbn: '1', costPrice: 2 },
        { id: 'b-2', title: 'Two', price: 2, isbn: 'b-2' },
      ])
      return router
    }

    const body = fc.oneof(
      { weight: 3, arbitrary: fit.map((input) => JSON.stringify(kind.input(input))) },
      { weight: 2, arbitrary: json.map((input) => JSON.stringify(kind.input(input))) },
      { weight: 1, arbitrary: json.map((document) => JSON.stringify(document)) },
      { weight: 1, arbitrary: rawText },
    )
    const contentType = fc.oneof(
      { weight: 4, arbitrary: fc.constant(kind.mediaType) },
      { weight: 2, arbitrary: fc.constant('application/json') },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'text/plain',
          'application/json; charset=latin1',
          `${kind.mediaType}; a=1`,
          'x',
        ),
      },
    )
    const precondition = fc.constantFrom<Record<string, string>>(
      {},
      {},
      {},
      { 'if-match': '*' },
      { 'if-match': '"x' },
      { 'if-none-match': '*' },
    )

    test('no input of an action causes a 5xx, and all items stay valid', {
      timeout,
    }, async () => {
      const router = await serviceWithBooks()
      const fits = z.object({
        title: z.string().min(1).max(80),
        price: z.number().nonnegative(),
        stock: z.int().nonnegative(),
      })
      const request = fc.tuple(
        fc.constantFrom(...names),
        fc.constantFrom('b-1', 'b-1', 'b-2', 'none'),
        body,
        contentType,
        precondition,
      )
      await fc.assert(
        fc.asyncProperty(request, async ([name, id, text, type, headers]) => {
          const init = {
            method: 'POST',
            headers: { 'content-type': type, ...headers },
            ...(text !== '' && { body: text }),
          }
          const response = await router.handle(
            new Request(`http://localhost/books/${id}/${name}`, init),
          )
          const reply = await response.text()
          expect(response.status, reply).toBeLessThan(500)
          // No request contains this name, so no response may.
          expect(reply).not.toContain('costPrice')
          for await (const book of router.query(Book).exec()) fits.parse(book)
          expect(Reflect.get({}, 'polluted')).toBeUndefined()
          if (id === 'none') expect([400, 404, 406, 413, 415]).toContain(response.status)
        }),
        { numRuns },
      )
      expect(reported).toEqual([])
      expect(unhandled).toEqual([])
    })

    test('parallel additions add up, whatever their order', {
      timeout,
    }, async () => {
      const router = await serviceWithBooks()
      const api = kind.client(router)
      const stockOf = async () => Number(kind.item(await api.get('/books/b-1')).stock)
      const amounts = fc.array(
        fc.tuple(fc.constantFrom('restock', 'reserve'), fc.integer({ min: -5, max: 20 })),
        {
          maxLength: 20,
        },
      )
      await fc.assert(
        fc.asyncProperty(amounts, async (steps) => {
          const before = await stockOf()
          const responses = await Promise.all(
            steps.map(async ([name, amount]) => {
              const input = name === 'restock' ? { amount } : { quantity: amount }
              const { status } = await api.post(`/books/b-1/${name}`, kind.input(input))
              return status === 200 ? (name === 'restock' ? amount : -amount) : 0
            }),
          )
          expect(await stockOf()).toBe(responses.reduce((sum, response) => sum + response, before))
        }),
        { numRuns: Math.ceil(numRuns / 5) },
      )
    })
  })
})

/** An own property, even if it is called `__proto__`. */
function objectOf(entries: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(entries)
}
