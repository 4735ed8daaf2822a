import createClient from 'openapi-fetch'
import type { paths } from './rest.ts'
import { type Program, taken } from './round-trip.ts'

export const roundTrip: Program = async (baseUrl, cover) => {
  const api = createClient<paths>({
    baseUrl,
    querySerializer: { array: { style: 'form', explode: false } },
  })

  const creation = await api.POST('/books', {
    body: {
      book: {
        title: 'Mathilda',
        price: 7.5,
        author: 'mary-shelley',
        genres: ['gothic-fiction'],
        pages: 120,
      },
    },
  })
  const { book } = taken(creation)
  const path = { id: book.id }

  const reading = await api.GET('/books/{id}', { params: { path, query: { include: ['author'] } } })
  const etag = reading.response.headers.get('etag') ?? ''
  const { book: found, authors = [] } = taken(reading)

  const patching = await api.PATCH('/books/{id}', {
    params: { path, header: { 'If-Match': etag } },
    body: { book: { price: 6, isbn: null } },
  })
  const stale = await api.PATCH('/books/{id}', {
    params: { path, header: { 'If-Match': etag } },
    body: { book: { price: 5 } },
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
  const uploaded = taken(uploading).book.cover
  const download = await api.GET('/books/{id}/cover', { params: { path }, parseAs: 'blob' })
  const image: Blob = taken(download)

  const refusal = await api.POST('/books', {
    // @ts-expect-error: a book has to have a price
    body: { book: { title: 'Mathilda', author: 'mary-shelley' } },
  })
  const errors = refusal.error?.errors ?? []

  await api.DELETE('/books/{id}', { params: { path } })
  const gone = await api.GET('/books/{id}', { params: { path } })

  return {
    created: { id: book.id, title: book.title, inStock: book.inStock },
    read: {
      author: authors.map(({ name }) => name).join(),
      genres: found.genres,
      pages: found.pages,
    },
    patchedPrice: taken(patching).book.price,
    stale: stale.response.status,
    listed: taken(listing).books.map(({ id, price }) => ({ id, price })),
    uploaded: { contentType: uploaded?.contentType ?? '', size: uploaded?.size ?? 0 },
    downloadedBytes: image.size,
    refused: errors.map(({ code, source }) => ({ code, pointer: source?.pointer })),
    gone: gone.response.status,
  }
}

/** Never called: what must not compile. */
export async function wrong(): Promise<void> {
  const api = createClient<paths>()
  // @ts-expect-error: there are no films
  await api.GET('/films')
  // @ts-expect-error: books cannot be deleted all at once
  await api.DELETE('/books')
  // @ts-expect-error: an id has to be given
  await api.GET('/books/{id}')
  // @ts-expect-error: a price is a number
  await api.PATCH('/books/{id}', { params: { path: { id: '1' } }, body: { book: { price: '6' } } })
  // @ts-expect-error: a title cannot be taken away
  await api.PATCH('/books/{id}', { params: { path: { id: '1' } }, body: { book: { title: null } } })
  // @ts-expect-error: no member is called so
  await api.PATCH('/books/{id}', { params: { path: { id: '1' } }, body: { book: { prize: 6 } } })
  // @ts-expect-error: the service keeps the version itself
  await api.PATCH('/books/{id}', { params: { path: { id: '1' } }, body: { book: { hash: 'x' } } })
  // @ts-expect-error: nothing is sorted by what clients cannot see
  await api.GET('/books', { params: { query: { sort: ['costPrice'] } } })
  // @ts-expect-error: a number is not compared as text
  await api.GET('/books', { params: { query: { 'filter[price]': { contains: '6' } } } })
  const { data } = await api.GET('/books/{id}', { params: { path: { id: '1' } } })
  // @ts-expect-error: it may have failed
  data.book
  // @ts-expect-error: what is hidden is in no response
  data?.book.costPrice
}
