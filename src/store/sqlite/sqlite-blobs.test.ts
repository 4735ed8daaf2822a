import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { blobStoreContract } from '../../../test/contract/blob-store.ts'
import { loadDriver } from './driver.ts'
import { sqliteBlobs } from './sqlite-blobs.ts'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-blobs-'))
let count = 0

afterAll(() => rmSync(folder, { recursive: true }))

blobStoreContract('sqlite', async () => {
  const file = join(folder, 'new', `${++count}.db`)
  const blobs = sqliteBlobs(file, { durability: 'normal' })
  await blobs.open()
  // One for the whole test: while others hold locks on the file, SQLite puts off closing what is closed.
  const database = (await loadDriver()).open(file, { readOnly: true })
  const rows = (sql: string) => database.prepare(sql).all([]).map(String)
  return {
    blobs,
    cut: 262_144,
    kept: async () => [...rows('select key from "_blob"'), ...rows('select number from "_blob_chunk"')],
    async another() {
      const other = sqliteBlobs(file)
      await other.open()
      return other
    },
    async dispose() {
      database.close()
      await blobs.close()
    },
  }
})
