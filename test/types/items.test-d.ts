import {
  action,
  type CodeItem,
  type Items,
  image,
  list,
  model,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import type { ActionDetails } from 'resourcery/types'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Author extends model('author', {
  name: z.string(),
  books: toMany<Book>('book', { inverse: 'author' }),
}) {}

class Book extends model('book', {
  title: z.string(),
  note: z.string().optional(),
  stock: z.int().default(0),
  author: toOne<Author>('author'),
  cover: image(),
  editions: list(struct({ year: z.int(), scan: image() })),
}) {
  restock({ amount }: { amount: number }) {
    this.stock += amount
    return { stock: this.stock }
  }
  async sell(_: ActionDetails) {
    this.stock--
  }
  static {
    action(this, 'restock', {
      input: z.object({ amount: z.int() }),
      output: z.object({ stock: z.int() }),
    })
    action(this, 'sell')
  }
}

declare const books: Items<typeof Book>
declare const authors: Items<typeof Author>

describe('Items in code', () => {
  it('are created from arrays and iterables, and validated from rows of any type', async () => {
    const row = { title: 'Emma', author: 'austen' }
    const items = null as unknown as Items<typeof Book>
    expectTypeOf(items.createMany([row])).resolves.toEqualTypeOf<CodeItem<typeof Book>[]>()
    expectTypeOf(items.createMany(new Set([row]))).resolves.toEqualTypeOf<CodeItem<typeof Book>[]>()
    items.validate([row])
    items.validate(JSON.parse('[]') as unknown[])
    items.validate(new Set<unknown>([row, null]))
    // @ts-expect-error rows of any type cannot be created without a check
    items.createMany(JSON.parse('[]') as unknown[])
    // @ts-expect-error not iterable
    items.validate(5)
  })

  it('know the actions of the class, with input and result', () => {
    expectTypeOf(books.call('emma', 'restock', { amount: 1 })).resolves.toEqualTypeOf<{
      stock: number
    }>()
    expectTypeOf(books.call('emma', 'sell')).resolves.toEqualTypeOf<CodeItem<typeof Book>>()
    // @ts-expect-error the input of the action has a number
    books.call('emma', 'restock', { amount: 'x' })
    // @ts-expect-error there is no such action
    books.call('emma', 'restok', { amount: 1 })
    // @ts-expect-error a member is no action
    books.call('emma', 'title')
    expectTypeOf(books.callOperation('emma', 'reserve', { days: 2 })).resolves.toBeUnknown()
  })

  it('have bytes in fields with binary resources, and in no others', () => {
    const content = { bytes: new Uint8Array(), contentType: 'image/png' }
    books.setResource('emma', 'cover', content)
    books.setResource('emma', 'editions/0/scan', content)
    books.readResource('emma', 'cover')
    // @ts-expect-error a text has no bytes
    books.setResource('emma', 'title', content)
    // @ts-expect-error neither has a relation
    books.readResource('emma', 'author')
    // @ts-expect-error there is no such field
    books.deleteResource('emma', 'covre')
  })

  it('are created with the items that relate to them', () => {
    authors.create({ name: 'Jane Austen', books: ['emma'] })
    // @ts-expect-error they are ids
    authors.create({ name: 'Jane Austen', books: [{ id: 'emma' }] })
    // @ts-expect-error there is no such member
    authors.create({ name: 'Jane Austen', novels: ['emma'] })
  })
})

describe('groups of items', () => {
  const books = {} as Items<typeof Book>

  it('have the types of what was asked for', async () => {
    const [group] = await books.groups({
      by: ['author.name', 'stock', 'author'],
      aggregates: ['count', 'sum(stock)', 'min(author.name)', 'avg(stock)'],
    })
    expectTypeOf(group!.by).toEqualTypeOf<{
      readonly 'author.name': string | null
      readonly stock: number | null
      readonly author: string | null
    }>()
    expectTypeOf(group!.aggregates).toEqualTypeOf<{
      readonly count: number
      readonly 'sum(stock)': number | string
      readonly 'min(author.name)': string | null
      readonly 'avg(stock)': number | null
    }>()
    const [byYear] = await books.groups({ by: ['year(title)'] })
    expectTypeOf(byYear!.by['year(title)']).toEqualTypeOf<string | null>()
  })

  it('take members of the model only', () => {
    // @ts-expect-error: no such member
    books.groups({ by: ['titel'] })
    // @ts-expect-error: no such function
    books.groups({ by: ['title'], aggregates: ['total(stock)'] })
    // @ts-expect-error: no such part
    books.groups({ by: ['century(title)'] })
  })
})
