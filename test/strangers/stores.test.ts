import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { blobStoreContract, storeContract } from 'resourcery/contracts'
import { expect, it } from 'vitest'
import { mapBlobs } from './map-blobs.ts'
import { mapStore } from './map-store.ts'

const noRecords = 'it keeps items only'

storeContract(
  'a store over a Map',
  async () => {
    const store = mapStore()
    return { store, dispose: () => store.close() }
  },
  {
    'keeps the result of a request with the writes of its transaction': noRecords,
    'keeps no result of a transaction that is rolled back': noRecords,
    'lets the second of two transactions with one key wait for the first': noRecords,
    'gives a key back': noRecords,
    'forgets results that have expired': noRecords,
    'keeps results when it is opened again': noRecords,
    'counts what is kept, in bytes': noRecords,
    'tells when one client keeps less than its share again': noRecords,
    'keeps changes as they were added, with the writes of their transaction': noRecords,
    'keeps nothing of a transaction that is rolled back': noRecords,
    'is read in pages, from any position': noRecords,
    'gives changes of transactions side by side once each, those of one together': noRecords,
    'removes the oldest changes, and refuses positions before them': noRecords,
    'refuses positions that are malformed or of another log': noRecords,
    'erases what it keeps of an item, and keeps that something changed': noRecords,
    'goes on when the store is opened again': noRecords,
  },
)

blobStoreContract(
  'a blob store over a Map',
  async () => {
    const blobs = mapBlobs()
    return { blobs, chunkBytes: 65_536, listFiles: async () => [], dispose: () => blobs.close() }
  },
  {
    'keeps its blobs when it is opened again, and beside another process':
      'it keeps nothing after the process ends',
  },
)

it('strangers import nothing but public names', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const imports = readdirSync(folder).flatMap((file) =>
    Array.from(
      readFileSync(`${folder}/${file}`, 'utf8').matchAll(/from '([^']+)'/g),
      ([, specifier]) => specifier!,
    ),
  )
  expect(imports).toEqual(expect.arrayContaining(['resourcery/policy', 'resourcery/store']))
  expect(imports.filter((specifier) => specifier.startsWith('..'))).toEqual([])
})
