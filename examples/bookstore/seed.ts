import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Router } from 'resourcery'
import { models } from './bookstore.ts'

const files = { author: 'authors', publisher: 'publishers', genre: 'genres', book: 'books', review: 'reviews' } as const

/**
 * Fills an empty bookstore with real books. One that holds anything is left as it is, so that what was deleted does not
 * come back.
 * @param folder of the data files
 */
export async function seed(router: Router, folder: string): Promise<void> {
  if (!(await isEmpty(router))) return
  for (const name of ['author', 'publisher', 'genre', 'book', 'review'] as const) {
    const items = JSON.parse(await readFile(join(folder, `${files[name]}.json`), 'utf8'))
    await router.load(models[name], items)
  }
}

async function isEmpty(router: Router): Promise<boolean> {
  const counts = await Promise.all(Object.values(models).map((model) => router.query(model).size()))
  return counts.every((count) => count === 0)
}
