import {
  type AnyModel,
  type BinaryResource,
  field,
  hash,
  type IQuery,
  type ItemContext,
  type ItemOf,
  image,
  list,
  type Middleware,
  model,
  type QueryHook,
  type QueryPath,
  type Router,
  type SortPath,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

class Author extends model('author', {
  name: z.string(),
  born: z.iso.date().optional(),
  address: z.object({ city: z.string(), zip: z.string().nullable() }).optional(),
  books: toMany<Book>('book', { inverse: 'author' }),
  favourite: toOne<Book>('book', { optional: true }),
  hash: hash(),
}) {
  greeting(): string {
    return `I am ${this.name}, and I like ${this.favourite?.title}`
  }
}

const Publisher = model('publisher', { name: z.string(), founded: z.int().optional() })

class Book extends model('book', {
  title: z.string(),
  price: field(z.number(), { index: true }),
  inStock: z.boolean().default(true),
  format: z.enum(['paper', 'cloth']).nullish(),
  tags: z.array(z.string()).default([]),
  scores: z.array(z.int()).optional(),
  dimensions: z.object({ width: z.number(), box: z.object({ sealed: z.boolean() }) }).optional(),
  editions: list(struct({ year: z.int(), scan: image() })),
  jacket: struct({ designer: z.string().optional(), scan: image() }, { optional: true }),
  anything: z.any(),
  mixed: z.union([z.string(), z.number()]),
  byCountry: z.record(z.string(), z.number()),
  author: toOne<Author>('author'),
  publisher: toOne<ItemOf<typeof Publisher>>('publisher', { optional: true }),
  shelf: toOne('shelf'),
  genres: toMany('genre'),
  readers: toMany<Author>('author'),
  cover: image(),
  hash: hash(),
}) {
  discount(percent: number): void {
    this.price *= 1 - percent / 100
  }
}

class Genre extends model('genre', {
  name: z.string(),
  parent: toOne<Genre>('genre', { optional: true }),
  children: toMany('genre', { inverse: 'parent' }),
}) {}

declare const router: Router
const books = router.query(Book)

describe('where()', () => {
  it('knows the fields, the members of structs and what is behind relations to one item', () => {
    type Checked =
      | 'id'
      | 'title'
      | 'price'
      | 'inStock'
      | 'format'
      | 'tags'
      | 'scores'
      | 'dimensions.width'
      | 'dimensions.box.sealed'
      | 'jacket.designer'
      | 'author'
      | 'author.id'
      | 'author.name'
      | 'author.born'
      | 'author.address.city'
      | 'author.address.zip'
      | 'author.books'
      | 'author.favourite'
      | 'author.favourite.id'
      | 'author.favourite.title'
      | 'author.favourite.genres'
      | 'publisher'
      | 'publisher.id'
      | 'publisher.name'
      | 'publisher.founded'
      | 'shelf'
      | 'genres'
      | 'readers'
    expectTypeOf<Checked>().toExtend<QueryPath<Book>>()
    expectTypeOf<FirstNames<QueryPath<Book>>>().toEqualTypeOf<FirstNames<Checked>>()
    expectTypeOf<SecondNames<QueryPath<Book>, 'author'>>().toEqualTypeOf<
      SecondNames<Checked, 'author'>
    >()
  })

  it('looks at the items of relations to many, whose fields it knows', () => {
    expectTypeOf(
      books.where('readers').some((reader) => reader.where('name').startsWith('A')),
    ).toEqualTypeOf<IQuery<Book>>()
    books.where('author.books').some((book) => book.where('price').lessThan(5))
    books.where('genres').some((genre) => genre.where('anything').equal(1))
    books.where('readers').containsAny(['a'])
    // @ts-expect-error the related model has no such field
    books.where('readers').some((reader) => reader.where('title').equal('x'))
    // @ts-expect-error a number
    books.where('author.books').some((book) => book.where('price').equal('x'))
    // @ts-expect-error one item
    books.where('author').some((author) => author)
    // @ts-expect-error values, not items
    books.where('tags').some((tag) => tag)
  })

  it('refuses what the model does not have, and what cannot be compared', () => {
    // @ts-expect-error there is no such field
    books.where('titel')
    // @ts-expect-error the struct has no such member
    books.where('dimensions.weight')
    // @ts-expect-error the related model has no such field
    books.where('author.title')
    // @ts-expect-error nor is a method a field
    books.where('author.greeting')
    // @ts-expect-error a struct as a whole
    books.where('dimensions')
    // @ts-expect-error a list of structs
    books.where('editions')
    // @ts-expect-error a binary resource
    books.where('cover')
    // @ts-expect-error what is known of a binary resource
    books.where('cover.size')
    // @ts-expect-error a binary resource in a struct
    books.where('jacket.scan')
    // @ts-expect-error what is known of a binary resource in a struct
    books.where('jacket.scan.size')
    // @ts-expect-error the hash
    books.where('hash')
    // @ts-expect-error the hash of a related item
    books.where('author.hash')
    // @ts-expect-error a value of any type
    books.where('anything')
    // @ts-expect-error a value of several types
    books.where('mixed')
    // @ts-expect-error an object with any member
    books.where('byCountry.de')
    // @ts-expect-error a path cannot pass through a relation to many items
    books.where('readers.name')
    // @ts-expect-error a name of which nothing is known
    books.where('title' as string)
  })

  it('checks the first three names of a path, and leaves what follows to the service', () => {
    books.where('author.favourite.author')
    books.where('author.favourite.author.name')
    router.query(Genre).where('parent.parent.name')
    router.query(Genre).where('parent.parent.parent.name').startsWith('a')
    router.query(Genre).where('parent.parent.parent.parent.anything')
    // @ts-expect-error the third name
    router.query(Genre).where('parent.parent.nam')
  })

  it('accepts any path behind a relation that names no type', () => {
    books.where('shelf').equal('s-1')
    books.where('shelf.room.name').equal('Attic')
    books.where('shelf.room.floor').lessThan(3).where('title').contains('a')
  })

  it('takes values of the type of the field', () => {
    books.where('price').lessThan(10).where('title').equal('Dune').where('inStock').equal(true)
    books.where('price').anyOf([1, 2, null]).where('author').equal('a-1').where('id').equal('b-1')
    books.where('author.favourite.price').greaterThan(1)
    books.where('publisher.founded').greaterThanOrEqual(1900)
    // @ts-expect-error the price is a number
    books.where('price').lessThan('10')
    // @ts-expect-error each value
    books.where('price').anyOf([1, '2'])
    // @ts-expect-error the title is a string
    books.where('title').equal(1)
    // @ts-expect-error a boolean
    books.where('inStock').equal('true')
    // @ts-expect-error behind a relation
    books.where('author.name').equal(1)
    // @ts-expect-error of an item type behind a relation
    books.where('publisher.founded').equal('1900')
    // @ts-expect-error the id of a related item
    books.where('author').equal({ id: 'a-1' })
    // @ts-expect-error undefined would be true for all items if negated
    books.where('title').equal(undefined)
  })

  it('takes the values of an enum, and any bound', () => {
    books.where('format').equal('paper').where('format').greaterThan('a').where('format').isNull()
    // @ts-expect-error the enum has no such value
    books.where('format').equal('leather')
  })

  it('has the operators of the type of the field', () => {
    books
      .where('title')
      .like('D%')
      .where('author.id')
      .startsWith('a-')
      .where('format')
      .contains('a')
    books.where('tags').containsAny(['a']).where('scores').containsAll([1])
    books.where('genres').containsAny(['g-1']).where('author.books').containsAll(['b-1'])
    // @ts-expect-error a number is no text
    books.where('price').contains('1')
    // @ts-expect-error an array has no value to compare
    books.where('tags').equal('a')
    // @ts-expect-error nor has a relation to many items
    books.where('genres').isNull()
    // @ts-expect-error a text holds no members
    books.where('title').containsAny(['a'])
    // @ts-expect-error the elements are strings
    books.where('tags').containsAny([1])
    // @ts-expect-error the elements are numbers
    books.where('scores').containsAny(['1'])
  })

  it('is as strict in conditions', () => {
    books
      .and((part) => part.where('title').equal('Dune'))
      .or(
        (part) => part.where('author.name').equal('Frank'),
        (part) => part.not((inner) => inner.where('price').equal(1)),
      )
    // @ts-expect-error there is no such field
    books.and((part) => part.where('titel').equal('Dune'))
    // @ts-expect-error of the same type
    books.or((part) => part.where('price').equal('1'))
  })
})

describe('sort()', () => {
  it('takes the paths of single values', () => {
    books.sort('price', 'desc').sort('author.name').sort('author').sort('id').sort('shelf.room')
    expectTypeOf<SortPath<Book>>().toExtend<QueryPath<Book>>()
    // @ts-expect-error there is no such field
    books.sort('prise')
    // @ts-expect-error the direction is an argument
    books.sort('-price')
    // @ts-expect-error several values have no order
    books.sort('tags')
    // @ts-expect-error nor have relations to many items
    books.sort('genres')
    // @ts-expect-error there is no such direction
    books.sort('price', 'down')
  })
})

describe('exec()', () => {
  it('gives the stored values, with relations as ids', () => {
    type Stored = typeof books extends { exec(): AsyncIterable<infer Item> } ? Item : never
    expectTypeOf<Stored['id']>().toEqualTypeOf<string>()
    expectTypeOf<Stored['title']>().toEqualTypeOf<string>()
    expectTypeOf<Stored['format']>().toEqualTypeOf<'paper' | 'cloth' | null | undefined>()
    expectTypeOf<Stored['author']>().toEqualTypeOf<string>()
    expectTypeOf<Stored['publisher']>().toEqualTypeOf<string | null>()
    expectTypeOf<Stored['genres']>().toEqualTypeOf<readonly string[]>()
    expectTypeOf<Stored['cover']>().toEqualTypeOf<BinaryResource | null>()
    expectTypeOf<Stored>().not.toHaveProperty('hash')
    expectTypeOf<Stored>().not.toHaveProperty('discount')
    const authors = router.query(Author).exec()
    expectTypeOf<typeof authors>().toExtend<AsyncIterable<{ id: string; name: string }>>()
    expectTypeOf<typeof authors>().not.toExtend<AsyncIterable<{ books: unknown }>>()
  })
})

describe('a query whose model is not known', () => {
  it('takes any path and any value, and gives members of any type', () => {
    const untyped: IQuery = books
    untyped.where('titel').lessThan(1).sort('-')
    const dynamic = (name: string) =>
      router
        .query(Book as AnyModel)
        .where(name)
        .containsAny([1])
    const named = (name: string) => books.where(name as QueryPath<Book>)
    const prepared = (some: AnyModel) => router.query(some).where('anything').like('a').exec()
    expectTypeOf(dynamic).returns.toEqualTypeOf<IQuery<object>>()
    expectTypeOf(named).toBeFunction()
    expectTypeOf(prepared).returns.toExtend<AsyncIterable<{ readonly id: string }>>()
  })

  it('serves every model in shared middleware', () => {
    const open: Middleware = { query: { any: (query) => query.where('open').equal(true) } }
    const own: QueryHook = (query, { id }) => query.where('owner').equal(id ?? null)
    router.use(open).use({ query: { any: (query) => query.where('anything').isNull() } })
    router
      .prepare(Book)
      .use(open)
      .use({ query: { getItem: own } })
  })
})

describe('the middleware of a model', () => {
  it('gets queries for this model', () => {
    const affordable: Middleware<Book> = {
      query: { getList: (query) => query.where('price').lessThan(20).sort('author.name') },
    }
    router
      .prepare(Book)
      .use(affordable)
      .use({ query: { any: (query) => query.where('author.name').notEqual('Anonymous') } })
      .use({ query: { any: (query, { state }) => (state ? query : query.none()) } })
    // @ts-expect-error there is no such field
    router.prepare(Book).use({ query: { any: (query) => query.where('open').equal(true) } })
    // @ts-expect-error the price is a number
    router.prepare(Book).use({ query: { create: (query) => query.where('price').equal('1') } })
    // @ts-expect-error the middleware of another model
    router.prepare(Genre).use(affordable)
  })

  it('gets queries where there is no class of one own', () => {
    router
      .prepare(Publisher)
      .use({ query: { any: (query) => query.where('founded').greaterThan(1900) } })
    // @ts-expect-error there is no such field
    router.prepare(Publisher).use({ query: { any: (query) => query.where('open').equal(true) } })
    // @ts-expect-error nor here
    router.query(Publisher).where('open')
  })
})

describe('an operation on an item', () => {
  it('queries any model', () => {
    const count = ({ item, query }: ItemContext<Book>) =>
      query(Author).where('name').equal(item.author.name).size()
    // @ts-expect-error there is no such field
    const wrong = ({ query }: ItemContext<Book>) => query(Author).where('nam').isNull()
    router.prepare(Book).itemOperation('count', count)
    expectTypeOf(wrong).toBeFunction()
  })
})

describe('the options of a mapper', () => {
  it('name fields of the model', () => {
    router.prepare(Book).map((book) => ({ ...book, net: 1 }), {
      adds: { net: z.number() },
      hides: ['price', 'author', 'cover', 'hash', 'genres'],
      writable: ['price'],
      filterable: ['price'],
    })
    // @ts-expect-error there is no such field
    router.prepare(Book).map((book) => book, { hides: ['prise'] })
    // @ts-expect-error a path is no field
    router.prepare(Book).map((book) => book, { hides: ['author.name'] })
    // @ts-expect-error the id cannot be hidden
    router.prepare(Book).map((book) => book, { hides: ['id'] })
    // @ts-expect-error there is no such field
    router.prepare(Book).map((book) => book, { hides: ['price'], writable: ['prise'] })
  })
})

describe('load()', () => {
  it('takes what schemas accept, with relations as ids', () => {
    const needed = { mixed: 1, byCountry: {}, author: 'a-1', shelf: 's-1' }
    router.load(Book, [{ ...needed, title: 'Dune', price: 1 }])
    router.load(Book, [
      { ...needed, id: 'b-1', title: 'Dune', price: 1, publisher: null, genres: ['g-1'] },
      { ...needed, title: 'Emma', price: 2, publisher: 'p-1', format: 'cloth', cover: null },
    ])
    // @ts-expect-error the title is required
    router.load(Book, [{ ...needed, price: 1 }])
    // @ts-expect-error the price is a number
    router.load(Book, [{ ...needed, title: 'Dune', price: '1' }])
    // @ts-expect-error there is no such field
    router.load(Book, [{ ...needed, title: 'Dune', price: 1, titel: 'Dune' }])
    // @ts-expect-error a relation is an id
    router.load(Book, [{ ...needed, title: 'Dune', price: 1, author: { id: 'a-1' } }])
    // @ts-expect-error the relation is required
    router.load(Book, [{ ...needed, title: 'Dune', price: 1, author: null }])
    // @ts-expect-error an inverse relation is written on the other side
    router.load(Author, [{ name: 'Frank', books: ['b-1'] }])
    // @ts-expect-error the service makes hashes
    router.load(Author, [{ name: 'Frank', hash: 'x' }])
  })

  it('takes any values for a model that is not known', () => {
    const rows: readonly Record<string, unknown>[] = []
    router.load(Book as AnyModel, rows)
    // @ts-expect-error the values may not be those of a book
    router.load(Book, rows)
  })
})

describe('an inverse relation', () => {
  it('names a relation that the related model stores', () => {
    toMany<Book>('book', { inverse: 'author' })
    toMany<Author>('author', { inverse: 'favourite' })
    // @ts-expect-error there is no such relation
    toMany<Book>('book', { inverse: 'autor' })
    // @ts-expect-error the title is no relation
    toMany<Book>('book', { inverse: 'title' })
    // @ts-expect-error it is an inverse relation itself
    toMany<Author>('author', { inverse: 'books' })
    toMany('book', { inverse: 'anything' })
  })

  it('names a relation that the model stores, where it leads back to the model itself', () => {
    model('cat', {
      name: z.string(),
      mother: toOne('cat'),
      kittens: toMany('cat', { inverse: 'mother' }),
      // @ts-expect-error there is no such relation
      friends: toMany('cat', { inverse: 'mothr' }),
      // @ts-expect-error the name is no relation
      others: toMany('cat', { inverse: 'name' }),
      // @ts-expect-error it is an inverse relation itself
      ancestors: toMany('cat', { inverse: 'kittens' }),
      dogs: toMany('dog', { inverse: 'anything' }),
    })
  })
})

describe('models that name each other', () => {
  it('know each other as instances, whose own relations are ids', () => {
    expectTypeOf<Book['author']['name']>().toEqualTypeOf<string>()
    expectTypeOf<Author['favourite']>().toExtend<{ title: string } | null>()
    expectTypeOf<Book['readers'][number]['name']>().toEqualTypeOf<string>()
    expectTypeOf<NonNullable<Genre['parent']>['name']>().toEqualTypeOf<string>()
    expectTypeOf<Book['author']['greeting']>().returns.toEqualTypeOf<string>()
    expectTypeOf<Book['author']['favourite']>().toEqualTypeOf<string | null>()
  })
})

/** The name before the first dot. */
type FirstNames<Path> = Path extends `${infer First}.${string}` ? First : Path

/** The second name of the paths that begin with a name. */
type SecondNames<Path, First extends string> = Path extends `${First}.${infer Rest}`
  ? FirstNames<Rest>
  : never
