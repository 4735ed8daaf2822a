// The service whose operations are measured, on the store that STORE names. Run by bench/costs.mjs.

import { subscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { fileBlobs } from 'resourcery/files'
import { memory, memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { postgres, postgresBlobs } from 'resourcery/postgres'
import { sqlite } from 'resourcery/sqlite'
import { databaseFile, databaseUrl, HOST, PORT, serving } from '../harness/child.mjs'
import { bookstore } from './models.mjs'

/**
 * @typedef {object} Storage
 * @property {import('resourcery').Store} store
 * @property {import('resourcery').BlobStore} blobs
 */

const blobFolder = () => join(process.env.DATA_DIR ?? '.', 'blobs')

/** @type {Readonly<Record<string, () => Storage>>} */
const storages = {
  memory: () => ({ store: memory(), blobs: memoryBlobs() }),
  'sqlite-documents': () => ({
    store: sqlite(databaseFile('books')),
    blobs: fileBlobs(blobFolder()),
  }),
  'sqlite-tables': () => ({
    store: sqlite(databaseFile('books'), { layout: 'tables' }),
    blobs: fileBlobs(blobFolder()),
  }),
  postgres: () => ({ store: postgres(databaseUrl()), blobs: postgresBlobs(databaseUrl()) }),
}

const writer = { writerUs: 0, commits: 0 }
subscribe('resourcery:sqlite:commit', (message) => {
  writer.commits++
  writer.writerUs += /** @type {{ lockMs: number }} */ (message).lockMs * 1_000
})
const storage = storages[process.env.STORE ?? '']?.()
if (!storage) throw new Error(`STORE is one of ${Object.keys(storages).join(', ')}.`)
const server = await serve(await bookstore(storage, process.env.LOG === '1'), {
  host: HOST,
  port: PORT,
})
serving(
  server.port,
  async () => {
    await server.close()
    await storage.store.close?.()
  },
  () => ({
    ...writer,
    processor: process.cpuUsage(),
    loopUs: performance.eventLoopUtilization().active * 1_000,
  }),
)
