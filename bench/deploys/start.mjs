// A start of the service with a changed model. With a number of books it loads them.

import { createRouter } from 'resourcery'
import { memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { authors, genres, newBook, publishers } from '../data.mjs'
import { STORES } from '../harness/stores.mjs'
import { modelsAfter } from './models.mjs'

const [store = '', location = '', change = '', images = '', books] = process.argv.slice(2)
const open = STORES[store]
if (!open) throw new Error(`There is no store '${store}': ${Object.keys(STORES).join(', ')}.`)
const { Author, Publisher, Genre, Book } = modelsAfter(change, images === 'images')
const router = createRouter({ policy: rest(), store: open(location), blobs: memoryBlobs() })
for (const each of [Author, Publisher, Genre, Book]) router.prepare(each)

const usage = process.cpuUsage()
const startedAt = performance.now()
await router.open()
const wallMs = performance.now() - startedAt
const { user, system } = process.cpuUsage(usage)
if (books !== undefined) await load(Number(books))
process.send?.({
  wallMs,
  userMs: user / 1000,
  systemMs: system / 1000,
  sinceStartMs: performance.now(),
})
await router.close()
process.disconnect?.()

/** @param {number} count */
async function load(count) {
  await router.load(Publisher, publishers())
  await router.load(Genre, genres())
  await router.load(Author, authors())
  await router.load(
    Book,
    Array.from({ length: count }, (_, index) =>
      newBook(`b-${String(index).padStart(7, '0')}`, index),
    ),
  )
}
