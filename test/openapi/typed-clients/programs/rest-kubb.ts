import { type DressingProgram, ofTheAuthor } from './dressed-book.ts'
import { setConfig } from './rest-kubb-client/.kubb/fetch.ts'
import { getBooks, postBooks, postCoverForBooksItemById } from './rest-kubb-client/index.ts'

/** Its client of `fetch` leaves the type of JSON to whoever calls it. */
const asJson = { headers: { 'Content-Type': 'application/json' } }

export const dressed: DressingProgram = async (baseURL, cover) => {
  setConfig({ baseURL })
  const { book } = await postBooks(
    { book: { title: 'Poems', price: 7.5, author: 'emily-bronte' } },
    undefined,
    asJson,
  )
  const { books } = await getBooks({ filter: ofTheAuthor, sort: ['price'], 'page[size]': 3 })
  const { book: covered } = await postCoverForBooksItemById(book.id, { cover })
  return {
    created: { title: book.title, inStock: book.inStock },
    listed: books.map(({ id, price }) => ({ id, price })),
    id: book.id,
    uploaded: { contentType: covered.cover?.contentType ?? '', size: covered.cover?.size ?? 0 },
  }
}

/** Never called: what must not compile. */
export async function wrong(): Promise<void> {
  // @ts-expect-error: a book has to have a price
  await postBooks({ book: { title: 'Poems', author: 'emily-bronte' } })
  // @ts-expect-error: a cover is no text
  await postCoverForBooksItemById('1', { cover: 'a cover' })
}
