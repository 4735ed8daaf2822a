import { field, hash, type Middleware, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const mediaType = 'application/vnd.api+json; ext="https://jsonapi.org/ext/atomic"'
const headers = { 'content-type': mediaType, accept: mediaType }

const Author = model(
  'author',
  { name: z.string(), books: toMany('book', { inverse: 'author' }), hash: hash() },
  { table: 'authors', ids: 'server' },
)
const Book = model(
  'book',
  {
    title: field(z.string(), { unique: true }),
    author: toOne('author', { optional: true }),
    sequelOf: toOne('book', { optional: true, column: 'sequel_of' }),
    tags: toMany('tag', { through: { table: 'book_tag', owner: 'book', target: 'tag' } }),
    hash: hash(),
  },
  { table: 'books', ids: 'server' },
)
const Tag = model('tag', { name: z.string() }, { table: 'tags', ids: 'server' })

const add = (type: string, lid: string, attributes: object, relationships: object = {}) => ({
  op: 'add',
  data: { type, lid, attributes, relationships },
})
const local = (type: string, lid: string) => ({ data: { type, lid } })

describeTables('Ids that a database makes, in batches', ({ serve, sql }, engine) => {
  const start = async (middleware?: Middleware) => {
    const key =
      engine === 'sqlite'
        ? 'integer primary key not null'
        : 'integer generated always as identity primary key'
    for (const statement of [
      `create table authors (id ${key}, name text not null)`,
      `create table books (id ${key}, title text not null unique, author_id integer references authors (id), sequel_of integer references books (id))`,
      `create table tags (id ${key}, name text not null)`,
      'create table book_tag (book integer references books (id), tag integer references tags (id), primary key (book, tag))',
      "insert into authors (name) values ('Ann')",
    ])
      await sql(statement)
    const { api, router } = serve([Author, Book, Tag], { policy: jsonApi(), manage: false })
    if (middleware) router.use(middleware)
    return {
      api,
      batch: (...operations: readonly object[]) =>
        api.post('/operations', { 'atomic:operations': operations }, headers),
    }
  }

  it('are what later operations mean by a lid', async () => {
    const { api, batch } = await start()
    const added = await batch(
      add('tags', 'new', { name: 'drama' }),
      add('authors', 'bob', { name: 'Bob' }),
      add('books', 'one', { title: 'One' }, { author: local('authors', 'bob') }),
      add(
        'books',
        'two',
        { title: 'Two' },
        { sequelOf: local('books', 'one'), tags: { data: [{ type: 'tags', lid: 'new' }] } },
      ),
      {
        op: 'update',
        ref: { type: 'books', lid: 'two', relationship: 'author' },
        data: { type: 'authors', lid: 'bob' },
      },
      { op: 'update', data: { type: 'books', lid: 'one', attributes: { title: 'First' } } },
      add('books', 'three', { title: 'Three' }),
      { op: 'remove', ref: { type: 'books', lid: 'three' } },
    )
    expect(added.status).toBe(200)
    const results = added.at('/atomic:results') as readonly { readonly data?: unknown }[]
    expect(results[5]!.data).toMatchObject({
      id: '1',
      attributes: { title: 'First' },
      links: { self: '/books/1' },
    })
    expect(await sql('select id, title, author_id, sequel_of from books order by id')).toEqual([
      [1, 'First', 2, null],
      [2, 'Two', 2, 1],
    ])
    expect(await sql('select book, tag from book_tag')).toEqual([[2, 1]])
    expect((await api.get('/authors/2?include=books')).status).toBe(200)
  })

  it('are those of the last attempt where hooks of another model have to consent', async () => {
    const checks: string[] = []
    const { batch } = await start({
      request: {
        update: ({ rule, id }) => {
          checks.push(`${rule.path} ${id?.length}`)
        },
      },
    })
    const added = await batch(
      add('books', 'one', { title: 'One' }),
      add('authors', 'bob', { name: 'Bob' }, { books: { data: [{ type: 'books', lid: 'one' }] } }),
      { op: 'update', data: { type: 'authors', lid: 'bob', attributes: { name: 'Ben' } } },
    )
    expect(added.status).toBe(200)
    expect(
      await sql('select b.title, a.name from books b join authors a on a.id = b.author_id'),
    ).toEqual([['One', 'Ben']])
    // Once for each item, by the id that the service gave it.
    expect(checks.toSorted()).toEqual(['/authors/:id 36', '/books/:id 36'])
  })

  it('are not mistaken for the same ids of other tables, where hooks have to consent', async () => {
    const checks: string[] = []
    const { batch } = await start({
      request: {
        update: ({ rule, id }) => {
          checks.push(`${rule.path} ${id}`)
        },
      },
    })
    await sql("insert into books (title) values ('One'), ('Two'), ('Three')")
    // Each attempt may give the tag another number, which one of the books has too.
    const books = ['1', '2', '3']
    const added = await batch(add('tags', 'new', { name: 'drama' }), {
      op: 'update',
      ref: { type: 'authors', id: '1', relationship: 'books' },
      data: books.map((id) => ({ type: 'books', id })),
    })
    expect(added.status).toBe(200)
    const [tag] = added.at('/atomic:results') as readonly { readonly data: { id: string } }[]
    expect(books).toContain(tag!.data.id)
    expect(await sql('select author_id from books')).toEqual([[1], [1], [1]])
    expect(checks.toSorted()).toEqual([
      '/authors/:id/relationships/books 1',
      ...books.map((id) => `/books/:id ${id}`),
    ])
  })

  it('are not known to an item that relates to itself when it is created', async () => {
    const { batch } = await start()
    const refused = await batch(
      add('books', 'one', { title: 'One' }, { sequelOf: local('books', 'one') }),
    )
    expect(refused.status).toBe(422)
    expect(refused.errors[0]).toMatchObject({
      code: 'invalid-member',
      detail:
        'The database makes the id of a new book, so it cannot relate to itself yet. Set the relation in a later operation.',
      source: { pointer: '/atomic:operations/0/data/relationships' },
    })
  })

  it('belong to no item after a batch that failed', async () => {
    const { batch } = await start()
    const failed = await batch(
      add('books', 'one', { title: 'One' }),
      add('books', 'two', { title: 'One' }, { sequelOf: local('books', 'one') }),
    )
    expect(failed.status).toBe(409)
    expect(await sql('select id from books')).toEqual([])
  })
})
