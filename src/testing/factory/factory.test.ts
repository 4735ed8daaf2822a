import fc from 'fast-check'
import {
  createRouter,
  date,
  dateTime,
  decimal,
  field,
  image,
  model,
  toMany,
  toOne,
} from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { expect, expectTypeOf, test } from 'vitest'
import { z } from 'zod'
import { factory } from '../testing.ts'

class Author extends model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
}) {}

class Book extends model('book', {
  title: z.string().min(1).max(40),
  isbn: field(z.string().regex(/^978\d{10}$/), { unique: true }),
  mail: z.email(),
  kind: z.enum(['novel', 'play', 'poem']),
  price: z.number().min(5).max(80),
  share: z.number().gt(0).lt(1),
  pages: z.int().positive().multipleOf(8),
  code: field(z.string().length(4), { unique: true }),
  published: z.iso.date(),
  seen: z.iso.datetime(),
  reprinted: date(),
  sold: dateTime(),
  cost: decimal(6, 2),
  addedBy: field(z.string(), { readOnly: true }),
  site: z.url(),
  key: z.uuid(),
  tags: z.array(z.string().max(10)).min(2),
  size: z.object({ width: z.number().positive(), unit: z.enum(['mm', 'in']) }),
  rating: z.union([z.null(), z.int().min(1).max(5)]),
  inStock: z.boolean().default(true),
  note: z.string().optional(),
  cover: image(),
  author: toOne('author'),
  translator: toOne('author', { optional: true }),
}) {}

test('every item can be loaded, has its own id, and only what it must have', async () => {
  const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
  router.prepare(Author)
  router.prepare(Book)
  const authors = factory(Author)
  const books = factory(Book, { values: { author: 'author-1' } })
  const items = books.buildMany(500)
  expect(await router.load(Author, [authors.build()])).toBe(1)
  expect(await router.load(Book, items)).toBe(500)
  expect(items[0]).not.toHaveProperty('note')
  expect(items[0]).not.toHaveProperty('inStock')
  expect(items[0]).not.toHaveProperty('translator')
  expect(items[0]).not.toHaveProperty('cover')
  expect(items[0]).toMatchObject({
    id: 'book-1',
    title: 'title 1',
    mail: 'mail1@example.com',
    author: 'author-1',
  })
})

test('unique values differ', () => {
  const items = factory(Book, { values: { author: 'a' } }).buildMany(1_000)
  for (const name of ['id', 'isbn', 'code', 'key'] as const)
    expect(new Set(items.map((item) => item[name])).size, name).toBe(1_000)
})

test('the same seed makes the same items, and another seed others', () => {
  const made = (seed?: number) =>
    factory(Book, { values: { author: 'a' }, ...(seed !== undefined && { seed }) }).buildMany(20)
  expect(made()).toEqual(made(1))
  expect(made(7)).toEqual(made(7))
  expect(made(7)).not.toEqual(made(8))
})

test('given values are taken, also by number and by index', () => {
  const books = factory(Book, {
    values: (number) => ({ author: `a${number}`, title: `T${number}` }),
  })
  expect(books.build({ title: 'Dracula', note: 'x' })).toMatchObject({
    title: 'Dracula',
    note: 'x',
    author: 'a1',
  })
  expect(books.buildMany(2, (index) => ({ price: 10 + index }))).toMatchObject([
    { title: 'T2', price: 10 },
    { title: 'T3', price: 11 },
  ])
  expectTypeOf(books.build().title).toEqualTypeOf<string>()
})

test('what cannot be made is named', () => {
  expect(() => factory(Book).build()).toThrow("'author' is a required relation of 'book'")
  expect(() => factory(Book).build({ author: 'a', price: 1 })).toThrow(
    "The given 'price' of 'book' is not valid",
  )
  // @ts-expect-error: no such field
  expect(() => factory(Book).build({ author: 'a', titel: 'x' })).toThrow("has no field 'titel'")
  class Odd extends model('odd', { value: z.string().refine((text) => text === 'secret') }) {}
  expect(() => factory(Odd).build()).toThrow("The schema of 'value' of 'odd' says too little")
  expect(factory(Odd).build({ value: 'secret' })).toEqual({ id: 'odd-1', value: 'secret' })
  // @ts-expect-error: no such option
  expect(() => factory(Odd, { sed: 1 })).toThrow("Did you mean 'seed'?")
})

test('numbers lie within any bounds that have room', () => {
  const bound = fc.integer({ min: -10_000, max: 10_000 })
  fc.assert(
    fc.property(bound, fc.nat(5_000), fc.boolean(), (min, range, isInteger) => {
      const base = isInteger ? z.int() : z.number()
      const Bounded = model('bounded', { value: base.min(min).max(min + range) })
      const items = factory(Bounded).buildMany(Math.min(range + 1, 1_000))
      if (isInteger) expect(new Set(items.map(({ value }) => value)).size).toBe(items.length)
    }),
  )
})

test('texts have any allowed length', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.nat(60), (min, range) => {
      const Bounded = model('bounded', {
        value: z
          .string()
          .min(min)
          .max(min + range),
      })
      factory(Bounded).buildMany(5)
    }),
  )
})

test('values of codecs may be given as code has them, or as JSON', async () => {
  const views = z.codec(z.string().regex(/^\d{1,30}$/), z.bigint(), {
    decode: (text) => BigInt(text),
    encode: (value) => value.toString(),
  })
  const Talk = model('talk', { begins: dateTime({ date: true }), views })
  const talks = factory(Talk)
  const begins = new Date('2024-05-01T08:00:00Z')
  expect(talks.build({ begins, views: 12n })).toEqual({ id: 'talk-1', begins, views: 12n })
  expect(talks.build({ views: '12' }).views).toBe('12')
  expect(() => talks.build({ views: 'twelve' })).toThrow("The given 'views' of 'talk' is not valid")
})
