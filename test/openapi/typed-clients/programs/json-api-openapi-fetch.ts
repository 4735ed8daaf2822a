import createClient from 'openapi-fetch'
import type { components, paths } from './json-api.ts'
import { type Program, taken } from './round-trip.ts'

const author = { data: { type: 'authors', id: 'mary-shelley' } } as const

export const roundTrip: Program = async (baseUrl, cover) => {
  const api = createClient<paths>({
    baseUrl,
    headers: { 'content-type': 'application/vnd.api+json' },
    querySerializer: { array: { style: 'form', explode: false } },
  })

  const creation = await api.POST('/books', {
    body: {
      data: {
        type: 'books',
        attributes: { title: 'Mathilda', price: 7.5, pages: 120 },
        relationships: { author, genres: { data: [{ type: 'genres', id: 'gothic-fiction' }] } },
      },
    },
  })
  const { data: book } = taken(creation)
  const path = { id: book.id }

  const reading = await api.GET('/books/{id}', { params: { path, query: { include: ['author'] } } })
  const etag = reading.response.headers.get('etag') ?? ''
  const { data: found, included = [] } = taken(reading)
  const authors = included.flatMap((one) => (one.type === 'authors' ? one.attributes.name : []))

  const patching = await api.PATCH('/books/{id}', {
    params: { path, header: { 'If-Match': etag } },
    body: { data: { type: 'books', id: book.id, attributes: { price: 6, isbn: null } } },
  })
  const stale = await api.PATCH('/books/{id}', {
    params: { path, header: { 'If-Match': etag } },
    body: { data: { type: 'books', id: book.id, attributes: { price: 5 } } },
  })

  const listing = await api.GET('/books', {
    params: {
      query: {
        'filter[author]': { eq: 'mary-shelley' },
        'filter[price]': { lte: 6 },
        sort: ['price', '-title'],
        'page[size]': 3,
      },
    },
  })

  const uploading = await api.POST('/books/{id}/cover', {
    params: { path },
    body: cover,
    bodySerializer: (bytes) => bytes,
    headers: { 'content-type': cover.type },
  })
  const uploaded = taken(uploading).data.links.cover
  const download = await api.GET('/books/{id}/cover', { params: { path }, parseAs: 'blob' })
  const image: Blob = taken(download)

  const refusal = await api.POST('/books', {
    // @ts-expect-error: a book has to have a price
    body: { data: { type: 'books', attributes: { title: 'Mathilda' }, relationships: { author } } },
  })
  const errors = refusal.error?.errors ?? []

  await api.DELETE('/books/{id}', { params: { path } })
  const gone = await api.GET('/books/{id}', { params: { path } })

  return {
    created: { id: book.id, title: book.attributes.title, inStock: book.attributes.inStock },
    read: {
      author: authors.join(),
      genres: found.relationships.genres.data.map(({ id }) => id),
      pages: found.attributes.pages,
    },
    patchedPrice: taken(patching).data.attributes.price,
    stale: stale.response.status,
    listed: taken(listing).data.map(({ id, attributes: { price } }) => ({ id, price })),
    uploaded: { contentType: uploaded?.type ?? '', size: uploaded?.meta.size ?? 0 },
    downloadedBytes: image.size,
    refused: errors.map(({ code, source }) => ({ code, pointer: source?.pointer })),
    gone: gone.response.status,
  }
}

type Operation = components['schemas']['BookAtomicOperation']

/** Never called: what must not compile. */
export async function wrong(): Promise<readonly Operation[]> {
  const api = createClient<paths>()
  const params = { path: { id: '1' } }
  const book = { type: 'books', id: '1' } as const
  // @ts-expect-error: a book is no author
  await api.PATCH('/books/{id}', { params, body: { data: { type: 'authors', id: '1' } } })
  await api.PATCH('/books/{id}', {
    params,
    // @ts-expect-error: a price is a number
    body: { data: { ...book, attributes: { price: '6' } } },
  })
  // @ts-expect-error: no member is called so
  await api.PATCH('/books/{id}', { params, body: { data: { ...book, attributes: { prize: 6 } } } })
  await api.PATCH('/books/{id}/relationships/author', {
    params,
    // @ts-expect-error: a book is by authors
    body: { data: { type: 'genres', id: 'horror' } },
  })
  await api.PATCH('/books/{id}', {
    params,
    // @ts-expect-error: a book cannot be without an author
    body: { data: { ...book, relationships: { author: { data: null } } } },
  })
  await api.PATCH('/authors/{id}', {
    params,
    body: {
      data: {
        type: 'authors',
        id: '1',
        // @ts-expect-error: an author has books, no genres
        relationships: { books: { data: [{ type: 'genres', id: '1' }] } },
      },
    },
  })
  const genre = { type: 'genres', id: '1' } as const
  const ref = { ...book, relationship: 'author' } as const
  const operations: Operation[] = [
    // @ts-expect-error: a book is by authors
    { op: 'update', ref, data: genre },
    // @ts-expect-error: a price is a number
    { op: 'update', data: { ...book, attributes: { price: '6' } } },
  ]
  await api.POST('/operations', { body: { 'atomic:operations': [{ op: 'remove', ref: book }] } })
  const { data } = await api.GET('/books/{id}', { params })
  // @ts-expect-error: what is hidden is in no response
  data?.data.attributes.costPrice
  return operations
}
