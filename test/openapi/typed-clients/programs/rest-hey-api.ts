import { createClient } from './rest/client/index.ts'
import {
  deleteBooksItemById,
  getBooks,
  getBooksItemById,
  getCoverForBooksItemById,
  patchBooksItemById,
  postBooks,
  postCoverForBooksItemById,
} from './rest/index.ts'
import { type Program, taken } from './round-trip.ts'

export const roundTrip: Program = async (baseUrl, cover) => {
  const client = createClient({ baseUrl })

  const creation = await postBooks({
    client,
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

  const reading = await getBooksItemById({ client, path, query: { include: ['author'] } })
  const etag = reading.response?.headers.get('etag') ?? ''
  const { book: found, authors = [] } = taken(reading)

  const patching = await patchBooksItemById({
    client,
    path,
    headers: { 'If-Match': etag },
    body: { book: { price: 6, isbn: null } },
  })
  const stale = await patchBooksItemById({
    client,
    path,
    headers: { 'If-Match': etag },
    body: { book: { price: 5 } },
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
  const uploaded = taken(uploading).book.cover
  const download = await getCoverForBooksItemById({ client, path, parseAs: 'blob' })
  const image = taken(download) as Blob

  const refusal = await postBooks({
    client,
    // @ts-expect-error: a book has to have a price
    body: { book: { title: 'Mathilda', author: 'mary-shelley' } },
  })
  const errors = refusal.error?.errors ?? []

  await deleteBooksItemById({ client, path })
  const gone = await getBooksItemById({ client, path })

  return {
    created: { id: book.id, title: book.title, inStock: book.inStock },
    read: {
      author: authors.map(({ name }) => name).join(),
      genres: found.genres,
      pages: found.pages,
    },
    patchedPrice: taken(patching).book.price,
    stale: stale.response?.status ?? 0,
    listed: taken(listing).books.map(({ id, price }) => ({ id, price })),
    uploaded: { contentType: uploaded?.contentType ?? '', size: uploaded?.size ?? 0 },
    downloadedBytes: image.size,
    refused: errors.map(({ code, source }) => ({ code, pointer: source?.pointer })),
    gone: gone.response?.status ?? 0,
  }
}

/** Never called: what must not compile. */
export async function wrong(): Promise<void> {
  const path = { id: '1' }
  // @ts-expect-error: an id has to be given
  await getBooksItemById()
  // @ts-expect-error: a price is a number
  await patchBooksItemById({ path, body: { book: { price: '6' } } })
  // @ts-expect-error: a title cannot be taken away
  await patchBooksItemById({ path, body: { book: { title: null } } })
  // @ts-expect-error: no member is called so
  await patchBooksItemById({ path, body: { book: { prize: 6 } } })
  // @ts-expect-error: the service keeps the version itself
  await patchBooksItemById({ path, body: { book: { hash: 'x' } } })
  // @ts-expect-error: nothing is sorted by what clients cannot see
  await getBooks({ query: { sort: ['costPrice'] } })
  // @ts-expect-error: a number is not compared as text
  await getBooks({ query: { 'filter[price]': { contains: '6' } } })
  // @ts-expect-error: a cover is no text
  await postCoverForBooksItemById({ path, body: { cover: 'a cover' } })
  const { data } = await getBooksItemById({ path })
  // @ts-expect-error: it may have failed
  data.book
  // @ts-expect-error: what is hidden is in no response
  data?.book.costPrice
}
