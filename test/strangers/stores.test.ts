import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { blobStoreContract, storeContract } from 'resourcery/contracts'
import { expect, it } from 'vitest'
import { mapBlobs } from './map-blobs.ts'
import { mapStore } from './map-store.ts'

storeContract(
  'a store over a Map',
  async () => {
    const store = mapStore()
    return { store, dispose: () => store.close() }
  },
  { requestRecords: 'it keeps items only', changes: 'it keeps items only' },
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
