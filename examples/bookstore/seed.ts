import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AnyModel, LoadedItem, Router } from 'resourcery'
import { models } from './bookstore.ts'
import { cover } from './cover.ts'

const files = {
  author: 'authors',
  publisher: 'publishers',
  genre: 'genres',
  book: 'books',
  review: 'reviews',
} as const

/**
 * Fills an empty bookstore with real books, and draws covers for a dozen of them. A bookstore with
 * any item stays unchanged, so that deleted items do not come back.
 * @param folder of the data files
 */
export async function seed(router: Router, folder: string): Promise<void> {
  if (!(await isEmpty(router))) return
  for (const name of ['author', 'publisher', 'genre', 'book', 'review'] as const) {
    await router.load(models[name], await read(folder, files[name]))
  }
  await seedCovers(router, folder)
}

const coveredBooks = 12

async function seedCovers(router: Router, folder: string): Promise<void> {
  const authors = await read<typeof models.author>(folder, 'authors')
  const books = await read<typeof models.book>(folder, 'books')
  const names = new Map(authors.map(({ id, name }) => [id, name]))
  for (const { id, title, author } of books.slice(0, coveredBooks)) {
    const bytes = cover(title, names.get(author)!)
    await router.loadResource(
      models.book,
      { id, path: 'cover' },
      { bytes, contentType: 'image/png', fileName: `${id}.png` },
    )
  }
}

type Seeded<M extends AnyModel> = LoadedItem<M> & { readonly id: string }

async function read<M extends AnyModel>(
  folder: string,
  file: string,
): Promise<readonly Seeded<M>[]> {
  return JSON.parse(await readFile(join(folder, `${file}.json`), 'utf8'))
}

async function isEmpty(router: Router): Promise<boolean> {
  const counts = await Promise.all(Object.values(models).map((model) => router.query(model).size()))
  return counts.every((count) => count === 0)
}
