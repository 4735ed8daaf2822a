import { type Client, ClientError, type ClientProblem } from 'resourcery/client'
import { describe, expectTypeOf, it } from 'vitest'
import type { Api, Author, Book, Genre } from '../client/generated/bookstore.ts'
import type { Api as JsonApi } from '../client/generated/bookstore-json-api.ts'
import type { Api as Conference } from '../client/generated/conference.ts'

declare const api: Client<Api>
declare const jsonApi: Client<JsonApi>
declare const conference: Client<Conference>

describe('The type of a result', () => {
  it('is the item as the generated file names it', async () => {
    expectTypeOf(await api.books.get('a')).toEqualTypeOf<Book>()
    expectTypeOf((await api.books.list()).items).toEqualTypeOf<Book[]>()
    expectTypeOf(await api.books.update('a', {})).toEqualTypeOf<Book>()
    for await (const book of api.books.stream()) expectTypeOf(book).toEqualTypeOf<Book>()
  })

  it('follows include, along paths', async () => {
    const book = await api.books.get('a', { include: ['author.books', 'genres', 'publisher'] })
    expectTypeOf(book.author.books).toEqualTypeOf<Book[]>()
    expectTypeOf(book.author.name).toEqualTypeOf<string>()
    expectTypeOf(book.genres).toEqualTypeOf<Genre[]>()
    expectTypeOf(book.publisher).toExtend<{ name: string } | null>()
    expectTypeOf<null>().toExtend<typeof book.publisher>()
    expectTypeOf((await api.books.get('a', { include: ['author'] })).author).toEqualTypeOf<Author>()
  })

  it('follows fields', async () => {
    const { items } = await api.books.list({
      fields: { books: ['title', 'author'], authors: ['name'] },
      include: ['author'],
    })
    expectTypeOf(items[0]!).toEqualTypeOf<{
      id: string
      title: string
      author: Pick<Author, 'id' | 'name'>
    }>()
  })

  it('may be null where access rules may hide the related item', async () => {
    const session = await conference.sessions.get('a', { include: ['talk'] })
    expectTypeOf<null>().toExtend<typeof session.talk>()
  })

  it('follows aggregates, facets and groups', async () => {
    const { aggregates, facets } = await api.books.list({
      aggregates: ['count', 'avg(price)'],
      facets: ['inStock'],
    })
    expectTypeOf(aggregates).toEqualTypeOf<{ count: number; 'avg(price)': number | null }>()
    expectTypeOf(facets.inStock[0]!.value).toEqualTypeOf<boolean | null>()
    const { groups } = await api.books.groups({ by: ['author'] })
    expectTypeOf(groups[0]!.by).toEqualTypeOf<{ author: string | null }>()
  })

  it('of an action is its output, or the item', async () => {
    expectTypeOf(await api.books.actions.restock('a', { amount: 1 })).toEqualTypeOf<{
      stock: number
    }>()
    expectTypeOf(await api.books.actions.discount('a', { percent: 1 })).toEqualTypeOf<Book>()
    expectTypeOf((await conference.talks.actions.submit('a')).status).toExtend<string>()
  })
})

describe('The compiler refuses', () => {
  it('names that the service does not have', () => {
    // @ts-expect-error there is no such model
    void api.boks
    // @ts-expect-error no such field
    void api.books.list({ filter: { titel: 'a' } })
    // @ts-expect-error an operator of other fields
    void api.books.list({ filter: { price: { contains: 'a' } } })
    // @ts-expect-error a value of another type
    void api.books.list({ filter: { 'author.name': 1 } })
    // @ts-expect-error no such field to sort by
    void api.reviews.list({ sort: 'stars' })
    // @ts-expect-error no such relation
    void api.reviews.list({ include: ['autor'] })
    // @ts-expect-error no such field
    void api.books.list({ fields: { books: ['titel'] } })
    // @ts-expect-error no such parameter
    void api.books.list({ filtr: {} })
    // @ts-expect-error lists of this model are not searched
    void api.genres.list({ search: 'a' })
    // @ts-expect-error no such variant
    void api.books.download('a', 'cover/webp/127')
  })

  it('values that the service refuses', () => {
    // @ts-expect-error an author is required
    void api.books.create({ title: 'a', price: 1 })
    // @ts-expect-error the service sets it
    void api.reviews.update('a', { createdAt: '' })
    // @ts-expect-error the input of the action is missing
    void api.books.actions.discount('a')
  })

  it('calls that a policy does not have', () => {
    // @ts-expect-error plain REST has no relationships
    void api.books.relations
    expectTypeOf(jsonApi.books.relations.genres.add).toBeFunction()
    // @ts-expect-error it cannot be empty
    void jsonApi.books.relations.author.set('a', null)
    void jsonApi.books.relations.publisher.set('a', null)
  })
})

it('Errors say which kinds of problems there are', () => {
  const error: unknown = undefined
  if (api.books.isOutdated(error)) expectTypeOf(error.current).toEqualTypeOf<Book | undefined>()
  if (!(error instanceof ClientError)) return
  expectTypeOf(error.problems).toEqualTypeOf<readonly ClientProblem[]>()
  error.has('value-taken')
  // @ts-expect-error no such code
  error.has('value-token')
})
