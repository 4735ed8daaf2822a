import { type DressingProgram, ofTheAuthor } from './dressed-book.ts'
import { Api } from './rest-swagger-typescript-api-client/api.ts'

export const dressed: DressingProgram = async (baseUrl, cover) => {
  const { books: api } = new Api({ baseUrl })
  const creation = await api.postBooks({
    book: { title: 'Poems', price: 7.5, author: 'emily-bronte' },
  })
  const { book } = creation.data
  const listing = await api.getBooks({ filter: ofTheAuthor, sort: ['price'], 'page[size]': 3 })
  const uploading = await api.postCoverForBooksItemById(book.id, { cover })
  const uploaded = uploading.data.book.cover
  return {
    created: { title: book.title, inStock: book.inStock },
    listed: listing.data.books.map(({ id, price }) => ({ id, price })),
    id: book.id,
    uploaded: { contentType: uploaded?.contentType ?? '', size: uploaded?.size ?? 0 },
  }
}

/** Never called: what must not compile. */
export async function wrong(): Promise<void> {
  const { books: api } = new Api()
  // @ts-expect-error: a book has to have a price
  await api.postBooks({ book: { title: 'Poems', author: 'emily-bronte' } })
  // @ts-expect-error: a cover is no text
  await api.postCoverForBooksItemById('1', { cover: 'a cover' })
}
