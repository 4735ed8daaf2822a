// The library through its public API, with one binary field.

import { join } from 'node:path'
import { createRouter, file, model } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
import { z } from 'zod'
import { databaseFile, durability, HOST, PORT, serving } from '../harness/child.mjs'

const folder = join(process.env.DATA_DIR ?? '.', 'blobs')
const kinds = {
  files: () => fileBlobs(folder, { durability }),
  sqlite: () => sqliteBlobs(`${folder}.db`, { durability }),
  memory: memoryBlobs,
}
const kind = /** @type {keyof typeof kinds} */ (process.env.BLOBS ?? 'files')
const store = sqlite(databaseFile('items'), { durability })
const router = createRouter({ policy: rest(), store, blobs: kinds[kind]() })
const Book = model('book', { title: z.string(), scan: file({ maxBytes: 5_000_000_000 }) })
router.prepare(Book)
await router.load(Book, [{ id: 'b-1', title: 'A large one' }])
const server = await serve([router], { host: HOST, port: PORT })
serving(server.port, async () => {
  await server.close()
  await store.close()
})
