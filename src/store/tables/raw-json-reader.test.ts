import { field, hash, model, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

const Author = model('author', { name: z.string(), hash: hash() })
const Genre = model('genre', { name: z.string() })
const Book = model('book', {
  title: z.string(),
  price: field(z.number().optional(), { index: true }),
  author: toOne('author', { optional: true }),
  genres: toMany('genre'),
  hash: hash(),
})
const models = [Author, Genre, Book]

describeTables('Pages of ordinary tables as raw JSON', ({ serve, sql }) => {
  const bookshelf = async () => {
    const { api, router, store } = serve(models)
    for (const id of ['a', 'b']) {
      await api.post('/authors', { author: { id: `author-${id}`, name: `Zoë "${id}"` } })
      await api.post('/genres', { genre: { id: `genre-${id}`, name: id } })
    }
    const books = [
      {
        id: 'one',
        title: 'One\n\t\\',
        price: 1.5,
        author: 'author-a',
        genres: ['genre-b', 'genre-a'],
      },
      { id: 'three', title: '"Three"', genres: [] },
      { id: 'two', title: '🎬', price: 1e21, author: 'author-b', genres: ['genre-b'] },
    ]
    for (const book of books) expect((await api.post('/books', { book })).status).toBe(201)
    return { api, router, store }
  }
  /** The items of a list and its included items, as each of them is at its own address. */
  const single = async (api: ReturnType<typeof serve>['api'], path: string) =>
    Object.values((await api.get(path)).body as object)[0]

  it('have the items that their own addresses have, with included items', async () => {
    const { api } = await bookshelf()
    const ids = ['one', 'three', 'two']
    const list = await api.get('/books?page[size]=5&include=author,genres')
    expect(list.body).toEqual({
      books: await Promise.all(ids.map((id) => single(api, `/books/${id}`))),
      authors: await Promise.all(['a', 'b'].map((id) => single(api, `/authors/author-${id}`))),
      genres: await Promise.all(['a', 'b'].map((id) => single(api, `/genres/genre-${id}`))),
    })
  })

  it('lead to the pages before and after them', async () => {
    const { api } = await bookshelf()
    const first = await api.get('/books?page[size]=1&sort=-price')
    expect(first.ids('books')).toEqual(['two'])
    const second = await api.get(first.link('next')!)
    expect(second.ids('books')).toEqual(['one'])
    const last = await api.get(second.link('next')!)
    expect(last.ids('books')).toEqual(['three'])
    expect(last.link('next')).toBeUndefined()
  })

  it('have included items for each of the routers over one store', async () => {
    const { store, api } = await bookshelf()
    const other = serve(models, { policy: jsonApi(), store })
    const document = await other.api.get('/books?page[size]=5&include=author')
    expect(document.at('/included/1/attributes/name')).toBe('Zoë "b"')
    const list = await api.get('/books?page[size]=5&include=author')
    expect(list.ids('authors')).toEqual(['author-a', 'author-b'])
  })

  it('show what another program wrote', async () => {
    const { api } = await bookshelf()
    const { api: jsonApiOfBooks } = serve(models, { policy: jsonApi() })
    const titles = async () => [
      (await api.get('/books?page[size]=1')).at('/books/0/title'),
      (await jsonApiOfBooks.get('/books?page[size]=1')).at('/data/0/attributes/title'),
    ]
    await titles()
    await sql(`update books set title = 'Changed' where id = 'one'`)
    expect(await titles()).toEqual(['Changed', 'Changed'])
  })

  it('show what another program wrote without the version that the model names', async () => {
    const Film = model('film', { title: z.string(), hash: hash({ column: 'row_version' }) })
    await sql(
      `create table films (id varchar(20) primary key, title text not null, row_version integer not null)`,
    )
    await sql(`insert into films values ('dune', 'Dune', 1)`)
    const { api } = serve([Film], { policy: jsonApi() })
    expect((await api.get('/films?page[size]=1')).at('/data/0/attributes/title')).toBe('Dune')
    await sql(`update films set title = 'Dune 2'`)
    expect((await api.get('/films?page[size]=1')).at('/data/0/attributes/title')).toBe('Dune 2')
  })
})
