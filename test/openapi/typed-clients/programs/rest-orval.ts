import { type DressingProgram, ofTheAuthor } from './dressed-book.ts'
import { getBooks, postBooks, postCoverForBooksItemById } from './rest-orval-client.ts'

export const dressed: DressingProgram = async (_, cover) => {
  const creation = await postBooks({ book: { title: 'Poems', price: 7.5, author: 'emily-bronte' } })
  if (creation.status !== 201) throw new Error(JSON.stringify(creation.data))
  const { book } = creation.data
  const listing = await getBooks({ filter: ofTheAuthor, sort: ['price'], 'page[size]': 3 })
  if (listing.status !== 200) throw new Error(JSON.stringify(listing.data))
  const uploading = await postCoverForBooksItemById(book.id, { cover })
  if (uploading.status !== 200) throw new Error(JSON.stringify(uploading.data))
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
  // @ts-expect-error: a book has to have a price
  await postBooks({ book: { title: 'Poems', author: 'emily-bronte' } })
  // @ts-expect-error: a cover is no text
  await postCoverForBooksItemById('1', { cover: 'a cover' })
}
