import { createClient } from './json-api/client/index.ts'
import {
  deleteBooksItemById,
  getBooks,
  getBooksItemById,
  getCoverForBooksItemById,
  patchBooksItemById,
  patchRelationshipsAuthorForBooksItemById,
  postBooks,
  postCoverForBooksItemById,
} from './json-api/index.ts'
import { type Program, taken } from './round-trip.ts'

const author = { data: { type: 'authors', id: 'mary-shelley' } } as const

export const roundTrip: Program = async (baseUrl, cover) => {
  const client = createClient({ baseUrl })

  const creation = await postBooks({
    client,
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

  const reading = await getBooksItemById({ client, path, query: { include: ['author'] } })
  const etag = reading.response?.headers.get('etag') ?? ''
  const { data: found, included = [] } = taken(reading)
  const authors = included.flatMap((one) => (one.type === 'authors' ? one.attributes.name : []))

  const patching = await patchBooksItemById({
    client,
    path,
    headers: { 'If-Match': etag },
    body: { data: { type: 'books', id: book.id, attributes: { price: 6, isbn: null } } },
  })
  const stale = await patchBooksItemById({
    client,
    path,
    headers: { 'If-Match': etag },
    body: { data: { type: 'books', id: book.id, attributes: { price: 5 } } },
  })

  const listing = await getBooks({
    client,
    query: {
      'filter[author]': { eq: 'mary-shelley' },
      'filter[price]': { lte: 6 },
      sort: ['price', '-title'],
      'page[size]': 3,
    },
  })

  const uploading = await postCoverForBooksItemById({ client, path, body: { cover } })
  const uploaded = taken(uploading).data.links.cover
  const download = await getCoverForBooksItemById({ client, path, parseAs: 'blob' })
  const image = taken(download) as Blob

  const refusal = await postBooks({
    client,
    // @ts-expect-error: a book has to have a price
    body: { data: { type: 'books', attributes: { title: 'Mathilda' }, relationships: { author } } },
  })
  const errors = refusal.error?.errors ?? []

  await deleteBooksItemById({ client, path })
  const gone = await getBooksItemById({ client, path })

  return {
    created: { id: book.id, title: book.attributes.title, inStock: book.attributes.inStock },
    read: {
      author: authors.join(),
      genres: found.relationships.genres.data.map(({ id }) => id),
      pages: found.attributes.pages,
    },
    patchedPrice: taken(patching).data.attributes.price,
    stale: stale.response?.status ?? 0,
    listed: taken(listing).data.map(({ id, attributes: { price } }) => ({ id, price })),
    uploaded: { contentType: uploaded?.type ?? '', size: uploaded?.meta.size ?? 0 },
    downloadedBytes: image.size,
    refused: errors.map(({ code, source }) => ({ code, pointer: source?.pointer })),
    gone: gone.response?.status ?? 0,
  }
}

/** Never called: what must not compile. */
export async function wrong(): Promise<void> {
  const path = { id: '1' }
  const book = { type: 'books', id: '1' } as const
  // @ts-expect-error: a book is no author
  await patchBooksItemById({ path, body: { data: { type: 'authors', id: '1' } } })
  // @ts-expect-error: a price is a number
  await patchBooksItemById({ path, body: { data: { ...book, attributes: { price: '6' } } } })
  // @ts-expect-error: no member is called so
  await patchBooksItemById({ path, body: { data: { ...book, attributes: { prize: 6 } } } })
  await patchRelationshipsAuthorForBooksItemById({
    path,
    // @ts-expect-error: a book is by authors
    body: { data: { type: 'genres', id: 'horror' } },
  })
  await patchBooksItemById({
    path,
    // @ts-expect-error: a book cannot be without an author
    body: { data: { ...book, relationships: { author: { data: null } } } },
  })
  const { data } = await getBooksItemById({ path })
  // @ts-expect-error: what is hidden is in no response
  data?.data.attributes.costPrice
}
