import { JSONAPISerializers, JSONAPISource } from '@orbit/jsonapi'
import { type InitializedRecord, RecordSchema } from '@orbit/records'
import { buildSerializerSettingsFor } from '@orbit/serializers'
import { beforeEach, describe, expect, it } from 'vitest'
import { openShop } from './shop.ts'

const schema = new RecordSchema({
  models: {
    author: {
      attributes: { name: { type: 'string' } },
      relationships: { books: { kind: 'hasMany', type: 'book', inverse: 'author' } },
    },
    book: {
      // Dates are strings: Orbit's own date serializer writes 2020-1-2, which is not an ISO 8601
      // date.
      attributes: {
        title: { type: 'string' },
        price: { type: 'number' },
        inStock: { type: 'boolean' },
      },
      relationships: {
        author: { kind: 'hasOne', type: 'author', inverse: 'books' },
        publisher: { kind: 'hasOne', type: 'publisher' },
        genres: { kind: 'hasMany', type: 'genre' },
      },
    },
    publisher: { attributes: { name: { type: 'string' } } },
    genre: { attributes: { name: { type: 'string' } } },
  },
})

// By default it uses plural types in addresses, but not in documents.
const plural = { serializationOptions: { inflectors: ['pluralize'] } }
const serializerSettingsFor = buildSerializerSettingsFor({
  settingsByType: {
    [JSONAPISerializers.ResourceType]: plural,
    [JSONAPISerializers.ResourceTypeParam]: plural,
  },
})

describe('Orbit 0.17, with its default settings except plural types', () => {
  const shop = openShop()
  let source: JSONAPISource

  beforeEach(() => {
    source = new JSONAPISource({
      schema,
      host: shop.host,
      namespace: 'json-api',
      serializerSettingsFor,
    })
  })

  const genre = (id: string) => ({ type: 'genre', id })
  const author = (id: string) => ({ type: 'author', id })

  const newBook = () =>
    source.update<InitializedRecord>((t) =>
      t.addRecord({
        type: 'book',
        attributes: { title: 'Orbit', price: 3, inStock: false },
        relationships: {
          author: { data: author('mary-shelley') },
          genres: { data: [genre('horror')] },
        },
      }),
    )

  it('lists a page, filtered and sorted, with field sets and included authors', async () => {
    const records = await source.query<InitializedRecord[]>(
      (q) =>
        q
          .findRecords('book')
          .filter({ relation: 'author', op: 'equal', record: author('mary-shelley') })
          .sort('title')
          .page({ offset: 0, limit: 1 }),
      { include: ['author'], fields: { book: ['title', 'author'] } },
    )
    expect(records).toMatchObject([
      {
        id: 'frankenstein',
        attributes: { title: 'Frankenstein; or, The Modern Prometheus' },
        relationships: { author: { data: author('mary-shelley') } },
      },
    ])
    const inStock = await source.query<InitializedRecord[]>((q) =>
      q.findRecords('book').filter({ attribute: 'inStock', value: false }),
    )
    expect(inStock.length).toBeGreaterThan(0)
    expect(inStock.every((book) => book.attributes!.inStock === false)).toBe(true)
  })

  it('reads a resource with its related resources, and the related resources alone', async () => {
    const { data, details } = await source.query(
      (q) => q.findRecord({ type: 'book', id: 'frankenstein' }),
      {
        include: ['author', 'genres'],
        fullResponse: true,
      },
    )
    expect(data).toMatchObject({ attributes: { price: 9 } })
    const included = details![0]!.document!.included!
    expect(included.map((entry) => entry.attributes!.name)).toEqual(
      expect.arrayContaining(['Mary Shelley', 'Horror']),
    )
    expect(
      await source.query((q) =>
        q.findRelatedRecord({ type: 'book', id: 'frankenstein' }, 'author'),
      ),
    ).toMatchObject({ attributes: { name: 'Mary Shelley' } })
    const books = await source.query<InitializedRecord[]>((q) =>
      q.findRelatedRecords(author('mary-shelley'), 'books'),
    )
    expect(books.map((book) => book.id)).toContain('frankenstein')
  })

  it('creates with relationships and an id from the client', async () => {
    const { id } = await newBook()
    expect(await shop.book(id)).toMatchObject({
      attributes: { title: 'Orbit', price: 3, inStock: false },
      relationships: { author: { data: { id: 'mary-shelley' } } },
    })
    expect(await shop.genresOf(id)).toEqual(['horror'])
  })

  it('updates attributes', async () => {
    const { id } = await newBook()
    await source.update((t) =>
      t.updateRecord({ type: 'book', id, attributes: { price: 4, inStock: true } }),
    )
    await source.update((t) => t.replaceAttribute({ type: 'book', id }, 'title', 'Orbits'))
    expect((await shop.book(id))!.attributes).toMatchObject({
      title: 'Orbits',
      price: 4,
      inStock: true,
    })
  })

  it('replaces relationships through the resource', async () => {
    const { id } = await newBook()
    const book = { type: 'book', id }
    await source.update((t) => t.replaceRelatedRecord(book, 'author', author('bram-stoker')))
    await source.update((t) =>
      t.replaceRelatedRecord(book, 'publisher', { type: 'publisher', id: 'lackington' }),
    )
    await source.update((t) =>
      t.replaceRelatedRecords(book, 'genres', [genre('gothic-fiction'), genre('horror')]),
    )
    expect((await shop.book(id))!.relationships).toMatchObject({
      author: { data: { id: 'bram-stoker' } },
      publisher: { data: { id: 'lackington' } },
    })
    expect(await shop.genresOf(id)).toEqual(['gothic-fiction', 'horror'])
    await source.update((t) => t.replaceRelatedRecord(book, 'publisher', null))
    expect((await shop.book(id))!.relationships.publisher!.data).toBeNull()
  })

  it('adds to and removes from relationships, from either side', async () => {
    const { id } = await newBook()
    const book = { type: 'book', id }
    await source.update((t) => [
      t.addToRelatedRecords(book, 'genres', genre('gothic-fiction')),
      t.addToRelatedRecords(book, 'genres', genre('satire')),
      t.removeFromRelatedRecords(book, 'genres', genre('horror')),
    ])
    expect(await shop.genresOf(id)).toEqual(['gothic-fiction', 'satire'])
    await source.update((t) => t.addToRelatedRecords(author('bram-stoker'), 'books', book))
    expect((await shop.book(id))!.relationships.author!.data).toEqual({
      type: 'authors',
      id: 'bram-stoker',
    })
  })

  it('deletes, and finds nothing afterwards', async () => {
    const { id } = await newBook()
    await source.update((t) => t.removeRecord({ type: 'book', id }))
    expect(await shop.book(id)).toBeUndefined()
    expect(await source.query((q) => q.findRecord({ type: 'book', id }))).toBeUndefined()
  })

  it('gets all errors of an invalid new resource', async () => {
    await expect(
      source.update((t) => t.addRecord({ type: 'book', attributes: { title: '' } })),
    ).rejects.toMatchObject({
      data: {
        errors: [
          { status: '422', source: { pointer: '/data/attributes/title' } },
          { status: '422', source: { pointer: '/data/attributes' } },
          { status: '422', source: { pointer: '/data' } },
        ],
      },
    })
  })
})
