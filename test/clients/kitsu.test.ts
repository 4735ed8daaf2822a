import Kitsu from 'kitsu'
import { beforeAll, describe, expect, it } from 'vitest'
import { openShop } from './shop.ts'

describe('kitsu 11, with its default settings', () => {
  const shop = openShop()
  let api: Kitsu

  beforeAll(() => {
    api = new Kitsu({ baseURL: shop.url })
  })

  const newBook = async (): Promise<string> => {
    const { data } = await api.create('books', {
      title: 'Kitsune',
      price: 3,
      inStock: false,
      author: { data: { type: 'authors', id: 'mary-shelley' } },
      genres: { data: [{ type: 'genres', id: 'horror' }] },
    })
    return data.id
  }

  it('lists a page, filtered and sorted, with field sets and included authors', async () => {
    const { data, links } = await api.get('books', {
      params: {
        page: { size: 2 },
        sort: '-price,title',
        filter: { price: { lte: 10 } },
        include: 'author',
        fields: { books: 'title,price,author', authors: 'name' },
      },
    })
    expect(data).toHaveLength(2)
    expect(Object.keys(data[0])).not.toContain('inStock')
    expect(data[0].price).toBe(10)
    expect(data[0].author.data.name).toEqual(expect.any(String))
    expect(links.next).toContain('page%5Bafter%5D=')
  })

  it('reads a resource with its related resources, the related resources alone, and the linkage', async () => {
    const { data: book } = await api.get('books/frankenstein', {
      params: { include: 'author,genres' },
    })
    expect([book.title, book.author.data.name]).toEqual([
      'Frankenstein; or, The Modern Prometheus',
      'Mary Shelley',
    ])
    expect(book.genres.data.map((genre: { name: string }) => genre.name)).toContain('Horror')
    expect((await api.get('books/frankenstein/author')).data.name).toBe('Mary Shelley')
    const { data: books } = await api.get('authors/mary-shelley/books', {
      params: { sort: 'title' },
    })
    expect(books.map((book: { id: string }) => book.id)).toContain('frankenstein')
    const { data: linkage } = await api.get('books/frankenstein/relationships/genres')
    expect(linkage).toContainEqual({ type: 'genres', id: 'horror' })
  })

  it('creates with relationships', async () => {
    const id = await newBook()
    expect(await shop.book(id)).toMatchObject({
      attributes: { title: 'Kitsune', price: 3, inStock: false },
      relationships: { author: { data: { id: 'mary-shelley' } } },
    })
    expect(await shop.genresOf(id)).toEqual(['horror'])
  })

  it('updates attributes and relationships', async () => {
    const id = await newBook()
    const { data } = await api.update('books', {
      id,
      price: 4,
      author: { data: { type: 'authors', id: 'bram-stoker' } },
    })
    expect([data.title, data.price, data.author.data.id]).toEqual(['Kitsune', 4, 'bram-stoker'])
    expect((await shop.book(id))!.attributes.price).toBe(4)
  })

  it('replaces, adds to, removes from and empties a to-many relationship', async () => {
    const id = await newBook()
    const path = `books/${id}/relationships/genres`
    await api.update(path, [{ id: 'gothic-fiction' }])
    expect(await shop.genresOf(id)).toEqual(['gothic-fiction'])
    await api.create(path, [{ id: 'horror' }])
    expect(await shop.genresOf(id)).toEqual(['gothic-fiction', 'horror'])
    await api.delete(path, ['gothic-fiction'] as unknown as number[]) // Its types know numbers only, its documentation texts too.
    expect(await shop.genresOf(id)).toEqual(['horror'])
    await api.update(path, [])
    expect(await shop.genresOf(id)).toEqual([])
  })

  it('replaces and clears a to-one relationship', async () => {
    const id = await newBook()
    // `update` writes the last segment of a path in the plural (`/relationships/authors`), which is
    // right for to-many relations only. `request` uses the address as it is.
    const requestTo = (name: string) => ({
      method: 'PATCH',
      url: `books/${id}/relationships/${name}`,
    })
    await api.request({ ...requestTo('author'), type: 'authors', body: { id: 'bram-stoker' } })
    await api.request({ ...requestTo('publisher'), type: 'publishers', body: { id: 'lackington' } })
    const related = (await shop.book(id))!.relationships
    expect([related.author!.data, related.publisher!.data]).toEqual([
      { type: 'authors', id: 'bram-stoker' },
      { type: 'publishers', id: 'lackington' },
    ])
    await api.request({ ...requestTo('publisher'), type: 'publishers', body: null })
    expect((await shop.book(id))!.relationships.publisher!.data).toBeNull()
  })

  it('deletes, and gets an error for a missing resource', async () => {
    const id = await newBook()
    expect((await api.delete('books', id as unknown as number)).status).toBe(204)
    expect(await shop.book(id)).toBeUndefined()
    await expect(api.delete('books', id as unknown as number)).rejects.toMatchObject({
      errors: [{ status: '404', code: 'not-found' }],
    })
  })

  it('gets all errors of an invalid new resource', async () => {
    await expect(api.create('books', { title: '' })).rejects.toMatchObject({
      errors: [
        { status: '422', source: { pointer: '/data/attributes/title' } },
        { status: '422', source: { pointer: '/data/attributes' } },
        { status: '422', source: { pointer: '/data' } },
      ],
    })
  })
})
