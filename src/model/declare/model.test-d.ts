import {
  audio,
  type BinaryResource,
  dateTime,
  field,
  file,
  hash,
  type IQuery,
  type ItemOf,
  image,
  type LoadedItem,
  list,
  model,
  type RelatedItem,
  struct,
  timestamps,
  toMany,
  toOne,
} from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Author extends model('author', {
  name: z.string(),
  books: toMany('book', { inverse: 'author' }),
}) {
  greeting(): string {
    return `I am ${this.name}`
  }
}

class Book extends model('book', {
  title: z.string(),
  price: z.number(),
  inStock: z.boolean().default(true),
  pageCount: field(z.int().optional(), { wire: 'pages' }),
  subtitle: z.string().nullable(),
  dimensions: z.object({ width: z.number(), depth: z.number().optional() }).optional(),
  author: toOne<ItemOf<typeof Author>>('author'),
  publisher: toOne('publisher', { optional: true }),
  genres: toMany('genre'),
  cover: image({ maxBytes: 5_000_000, variants: { formats: ['webp'], sizes: [128] } }),
  sample: audio(),
  jacket: struct({ designer: z.string().optional(), scan: image() }, { optional: true }),
  editions: field(list(struct({ format: z.string(), scan: image() })), { wire: 'prints' }),
  hash: hash(),
}) {
  discount(percent: number): void {
    this.price *= 1 - percent / 100
  }
}

describe('the item of a model', () => {
  type Item = ItemOf<typeof Book>

  it('has an id, which code cannot change', () => {
    expectTypeOf<Item['id']>().toEqualTypeOf<string>()
    // @ts-expect-error ids are read-only
    const change = (book: Item) => (book.id = 'other')
    expectTypeOf(change).toBeFunction()
  })

  it('has the output of each schema, defaults applied', () => {
    expectTypeOf<Item['title']>().toEqualTypeOf<string>()
    expectTypeOf<Item['inStock']>().toEqualTypeOf<boolean>()
    expectTypeOf<Item['subtitle']>().toEqualTypeOf<string | null>()
    expectTypeOf<Item['dimensions']>().toEqualTypeOf<
      { width: number; depth?: number | undefined } | undefined
    >()
  })

  it('has optional members only where the schema is optional', () => {
    expectTypeOf<{ pageCount?: number | undefined }>().toMatchObjectType<Pick<Item, 'pageCount'>>()
    // @ts-expect-error the title is required
    const lacking: Item = { id: '1', price: 1 }
    expectTypeOf(lacking).toEqualTypeOf<Item>()
  })

  it('has relations as objects, of the given type or of any', () => {
    expectTypeOf<Item['author']['name']>().toEqualTypeOf<string>()
    expectTypeOf<Item['publisher']>().toEqualTypeOf<RelatedItem | null>()
    expectTypeOf<Item['genres']>().toEqualTypeOf<RelatedItem[]>()
  })

  it('has null where a relation of a given type is optional, and nothing where it is an inverse', () => {
    interface Cat {
      readonly id: string
      readonly name: string
    }
    const options = { optional: true as boolean }
    const Cats = model('cat', {
      mother: toOne<Cat>('cat', { optional: true, onDelete: 'set-null' }),
      vet: toOne<Cat>('cat', { optional: false }),
      owner: toOne<Cat>('cat', { onDelete: 'cascade' }),
      maybe: toOne<Cat>('cat', options),
      kittens: toMany<Cat>('cat', { inverse: 'mother' }),
      friends: toMany<Cat>('cat', { replace: false }),
      plain: toOne('cat', { optional: true }),
      inverse: toMany('cat', { inverse: 'plain' }),
    })
    type Item = ItemOf<typeof Cats>
    expectTypeOf<Item['mother']>().toEqualTypeOf<Cat | null>()
    expectTypeOf<Item['vet']>().toEqualTypeOf<Cat>()
    expectTypeOf<Item['owner']>().toEqualTypeOf<Cat>()
    expectTypeOf<Item['maybe']>().toEqualTypeOf<Cat | null>()
    expectTypeOf<Item['friends']>().toEqualTypeOf<Cat[]>()
    expectTypeOf<Item['plain']>().toEqualTypeOf<RelatedItem | null>()
    expectTypeOf<Item>().not.toHaveProperty('kittens')
    expectTypeOf<Item>().not.toHaveProperty('inverse')
    // @ts-expect-error there is no such choice
    toOne<Cat>('cat', { onDelete: 'setNull' })
    // @ts-expect-error a relation to many has no use for it
    toMany<Cat>('cat', { optional: true })
  })

  it('has what is known of a binary resource, which code cannot change, or null', () => {
    expectTypeOf<Item['cover']>().toEqualTypeOf<BinaryResource | null>()
    expectTypeOf<Item['sample']>().toEqualTypeOf<BinaryResource | null>()
    // @ts-expect-error what is known of the bytes follows from them
    const change = (resource: BinaryResource) => (resource.size = 1)
    expectTypeOf(change).toBeFunction()
  })

  it('has resources inside structs and lists', () => {
    expectTypeOf<Item['jacket']>().toEqualTypeOf<
      { designer?: string | undefined; scan: BinaryResource | null } | undefined
    >()
    expectTypeOf<Item['editions']>().toEqualTypeOf<
      { format: string; scan: BinaryResource | null }[]
    >()
    expectTypeOf<Partial<Pick<Item, 'jacket'>>>().toEqualTypeOf<Pick<Item, 'jacket'>>()
  })

  it('has a hash as text', () => {
    expectTypeOf<Item['hash']>().toEqualTypeOf<string>()
  })

  it('has no member for an inverse relation', () => {
    expectTypeOf<keyof ItemOf<typeof Author>>().toEqualTypeOf<'id' | 'name'>()
  })

  it('has the methods of its class on instances, with the members behind this', () => {
    const book = new Book({} as Item)
    expectTypeOf(book.discount).parameters.toEqualTypeOf<[number]>()
    expectTypeOf(book.title).toEqualTypeOf<string>()
  })
})

describe('codecs', () => {
  const dated = {
    begins: dateTime({ date: true }),
    ended: dateTime({ date: true, optional: true }),
    decided: dateTime({ date: true, default: () => new Date() }),
    printed: z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    }),
  }
  class Talk extends model('talk', dated) {}

  it('are values of code in items', () => {
    expectTypeOf<ItemOf<typeof Talk>>().toEqualTypeOf<{
      readonly id: string
      begins: Date
      decided: Date
      printed: Date
      ended?: Date | undefined
    }>()
  })

  it('take both forms from code', () => {
    type New = LoadedItem<typeof Talk>
    expectTypeOf<New['begins']>().toEqualTypeOf<string | Date>()
    expectTypeOf<New['decided']>().toEqualTypeOf<string | Date | undefined>()
    expectTypeOf<New['printed']>().toEqualTypeOf<string | Date>()
    const query = {} as IQuery<Talk>
    query.where('begins').lessThan(new Date()).where('ended').equal('2024-05-01T08:00:00Z')
    query.where('printed').anyOf([new Date()]).sort('begins')
    // @ts-expect-error a number is no time
    query.where('begins').equal(3)
    // @ts-expect-error texts are searched where code sees texts
    query.where('begins').startsWith('2024')
  })
})

describe('timestamps', () => {
  it('are optional texts, with the names that they are given', () => {
    const Note = model('note', { text: z.string(), ...timestamps() })
    expectTypeOf<ItemOf<typeof Note>>().toEqualTypeOf<{
      readonly id: string
      text: string
      createdAt?: string | undefined
      updatedAt?: string | undefined
    }>()
    const Named = model('named', timestamps({ createdAt: 'made', updatedAt: false, index: true }))
    expectTypeOf<ItemOf<typeof Named>>().toEqualTypeOf<{
      readonly id: string
      made?: string | undefined
    }>()
    // @ts-expect-error there is no option of this name
    timestamps({ updateAt: 'changed' })
  })
})

describe('a declaration', () => {
  it('refuses options that do not exist', () => {
    // @ts-expect-error there is no option of this name
    field(z.string(), { hiden: true })
    // @ts-expect-error there is no such behaviour
    toOne('author', { onDelete: 'explode' })
    // @ts-expect-error only images have variants
    file({ variants: { formats: ['png'], sizes: [64] } })
    // @ts-expect-error there is no such format
    image({ variants: { formats: ['bmp'], sizes: [64] } })
    // @ts-expect-error a relation is no member of a value
    struct({ author: toOne('author') })
    // @ts-expect-error a field is a schema or made by a builder
    model('thing', { name: 'string' })
    model('thing', { name: z.string() }, { readOnly: true })
    model('thing', { name: z.string() }, { order: 'database' })
    // @ts-expect-error there is no such order
    model('thing', { name: z.string() }, { order: 'language' })
    // @ts-expect-error a model is read-only or not
    model('thing', { name: z.string() }, { readOnly: 'clients' })
    // @ts-expect-error an index names fields of the model
    model('thing', { name: z.string(), size: z.int() }, { indexes: [['name', '-length']] })
    model('thing', { name: z.string(), size: z.int() }, { indexes: [['name', '-size']] })
    // @ts-expect-error a unique set names fields of the model
    model('thing', { name: z.string(), size: z.int() }, { unique: [['name', 'length']] })
    model('thing', { name: z.string(), size: z.int() }, { unique: [['name', 'size']] })
    const stay = { room: z.string(), from: z.iso.date(), to: z.iso.date() }
    model('stay', stay, { unique: [{ fields: ['room'], range: ['from', 'to'] }] })
    // @ts-expect-error a range names fields of the model
    model('stay', stay, { unique: [{ fields: ['room'], range: ['from', 'until'] }] })
    // @ts-expect-error a range has two bounds
    model('stay', stay, { unique: [{ fields: ['room'], range: ['from'] }] })
    const partial = { fields: ['size'], where: { name: 'a' } } as const
    model('thing', { name: z.string(), size: z.int() }, { unique: [partial] })
  })

  it('names tables and columns', () => {
    const through = { table: 'book_genre', owner: 'book_id', target: 'genre_id' }
    const fields = {
      title: field(z.string(), { column: 'book_title', was: ['name', 'heading'] }),
      author: toOne<ItemOf<typeof Author>>('author', { column: 'writer', was: 'writer' }),
      editor: toOne('author', { optional: true, column: 'editor' }),
      genres: toMany('genre', { through }),
      cover: image({ column: 'cover_meta' }),
      hash: hash({ column: 'row_version' }),
    }
    const Named = model('book', fields, {
      table: 'public.books',
      key: ['shop', 'number'],
      was: 'volume',
    })
    expectTypeOf<ItemOf<typeof Named>['author']['name']>().toEqualTypeOf<string>()
    expectTypeOf<ItemOf<typeof Named>['editor']>().toEqualTypeOf<RelatedItem | null>()
    // @ts-expect-error a join table has two columns
    toMany('genre', { through: { table: 'book_genre', owner: 'book_id' } })
    // @ts-expect-error the columns of a to-many relation are those of its join table
    toMany('genre', { column: 'genres' })
  })
})
