import JsonApi from 'devour-client'
import { beforeAll, describe, expect, it } from 'vitest'
import { openShop } from './shop.ts'

describe('devour 3, with its default settings', () => {
  const shop = openShop()
  let api: JsonApi

  beforeAll(() => {
    api = new JsonApi({ apiUrl: shop.url, logger: false })
    const many = (type: string) => ({ jsonApi: 'hasMany', type })
    const one = (type: string) => ({ jsonApi: 'hasOne', type })
    // Read-only, because devour writes an unloaded relation as an empty one.
    api.define('author', { name: '', bio: '', books: many('books') }, { readOnly: ['books'] })
    api.define('publisher', { name: '' })
    api.define('genre', { name: '' })
    api.define('book', {
      title: '',
      price: '',
      inStock: '',
      author: one('authors'),
      publisher: one('publishers'),
      genres: many('genres'),
    })
    // At relationship addresses devour reads the type of the relation as the name of a model.
    for (const type of ['authors', 'publishers', 'genres']) api.define(type, {})
  })

  const newBook = async (): Promise<string> => {
    const { data } = await api.create('book', {
      title: 'Devoured',
      price: 3,
      inStock: false,
      author: { id: 'mary-shelley' },
      genres: [{ id: 'horror' }],
    })
    return data.id
  }

  it('lists a page, filtered and sorted, with field sets and included authors', async () => {
    const { data, links } = await api.findAll('book', {
      page: { size: 2 },
      sort: '-price,title',
      filter: { price: { lte: 10 }, inStock: true },
      include: 'author',
      fields: { books: 'title,price,author', authors: 'name' },
    })
    expect(data).toHaveLength(2)
    expect(data[0]).toMatchObject({
      price: 10,
      author: { type: 'authors', name: expect.any(String) },
    })
    expect(links.next).toContain('page%5Bafter%5D=')
  })

  it('reads a resource with its related resources and its linkage', async () => {
    const { data } = await api.find('book', 'frankenstein', { include: 'author,genres' })
    expect(data).toMatchObject({
      title: 'Frankenstein; or, The Modern Prometheus',
      author: { name: 'Mary Shelley' },
    })
    expect(data.genres.map((genre: { name: string }) => genre.name)).toContain('Horror')
    expect((await api.one('author', 'mary-shelley').all('book').get()).data.length).toBeGreaterThan(
      1,
    )
    expect(
      (await api.one('book', 'frankenstein').relationships('genres').get()).data,
    ).toContainEqual({
      type: 'genres',
      id: 'horror',
    })
  })

  it('creates with relationships', async () => {
    const id = await newBook()
    expect(await shop.book(id)).toMatchObject({
      attributes: { title: 'Devoured', price: 3, inStock: false },
      relationships: { author: { data: { id: 'mary-shelley' } } },
    })
    expect(await shop.genresOf(id)).toEqual(['horror'])
  })

  it('updates attributes and relationships', async () => {
    const id = await newBook()
    const { data } = await api.update('book', {
      id,
      price: 4,
      author: { id: 'bram-stoker' },
      genres: [],
    })
    expect(data).toMatchObject({
      title: 'Devoured',
      price: 4,
      author: { id: 'bram-stoker' },
      genres: [],
    })
    expect(await shop.genresOf(id)).toEqual([])
  })

  it('sends back a resource as it received it', async () => {
    const { data } = await api.find('author', 'mary-shelley')
    const { data: saved } = await api.update('author', { ...data, bio: 'Changed' })
    expect(saved).toMatchObject({ name: 'Mary Shelley', bio: 'Changed' })
    expect(await shop.book('frankenstein')).toMatchObject({
      relationships: { author: { data: { id: 'mary-shelley' } } },
    })
  })

  it('replaces, adds to and removes from a to-many relationship', async () => {
    const id = await newBook()
    const genres = () => api.one('book', id).relationships('genres')
    await genres().patch([{ id: 'gothic-fiction' }])
    expect(await shop.genresOf(id)).toEqual(['gothic-fiction'])
    await genres().post([{ id: 'horror' }])
    expect(await shop.genresOf(id)).toEqual(['gothic-fiction', 'horror'])
    await genres().destroy([{ type: 'genres', id: 'gothic-fiction' }])
    expect(await shop.genresOf(id)).toEqual(['horror'])
  })

  it('replaces and clears a to-one relationship', async () => {
    const id = await newBook()
    await api.one('book', id).relationships('publisher').patch({ id: 'lackington' })
    expect((await shop.book(id))!.relationships.publisher!.data).toEqual({
      type: 'publishers',
      id: 'lackington',
    })
    await api.one('book', id).relationships('publisher').patch(null)
    expect((await shop.book(id))!.relationships.publisher!.data).toBeNull()
  })

  it('deletes, and gets an error for a missing resource', async () => {
    const id = await newBook()
    await api.destroy('book', id)
    expect(await shop.book(id)).toBeUndefined()
    await expect(api.destroy('book', id)).rejects.toEqual({
      0: { title: expect.any(String), detail: expect.stringContaining(id) },
    })
  })

  it('gets the error of an invalid new resource', async () => {
    // devour keys errors by the last segment of their pointers.
    await expect(api.create('book', { title: '' })).rejects.toMatchObject({
      title: { detail: expect.stringContaining("Invalid value for 'title'") },
      attributes: { detail: "'price' is required." },
    })
  })
})
