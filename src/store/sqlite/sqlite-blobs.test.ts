import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { bytesOf, inPieces } from '../../../test/support/bytes.ts'
import { book } from '../../../test/support/sqlite-bookshelf.ts'
import { expectSame, readAll } from '../../contracts/blob-store/harness.ts'
import { blobStoreContract } from '../../contracts/blob-store-contract.ts'
import { always } from '../../query/conditions.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { BlobGone } from '../blob-store.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { loadDriver } from './driver.ts'
import { sqlite } from './sqlite.ts'
import { sqliteBlobs } from './sqlite-blobs.ts'

const folder = mkdtempSync(join(tmpdir(), 'sqlite-blobs-'))
let count = 0

afterAll(() => rmSync(folder, { recursive: true }))

blobStoreContract('sqlite', async () => {
  const file = join(folder, 'new', `${++count}.db`)
  const blobs = sqliteBlobs(file, { durability: 'normal' })
  await blobs.open()
  // One for the whole test: while others hold locks on the file, SQLite puts off closing what is
  // closed.
  const database = (await loadDriver()).open(file, { readOnly: true })
  const rows = (sql: string) => database.prepare(sql).all([]).map(String)
  return {
    blobs,
    chunkBytes: 262_144,
    listFiles: async () => [
      ...rows('select key from "_blob"'),
      ...rows('select number from "_blob_chunk"'),
    ],
    async openAgain() {
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

describe('sqliteBlobs', () => {
  it('shares the file of the items, with writes of both at once', async () => {
    const file = join(folder, 'shared.db')
    const blobs = sqliteBlobs(file, { durability: 'normal' })
    const store = sqlite(file, { durability: 'normal' })
    await Promise.all([blobs.open(), store.open([book])])
    const [keys] = await Promise.all([
      Promise.all(
        Array.from({ length: 10 }, (_, seed) => blobs.write(inPieces(bytesOf(400_000, seed)))),
      ),
      Promise.all(
        Array.from({ length: 200 }, async (_, index) => {
          await new Promise((resolve) => setTimeout(resolve, index))
          const item = createStoredItem(book, { id: `b-${index}`, title: 'x' }, 1)
          expect(await store.write((work) => work.insert(book, item))).toMatchObject({
            kind: 'written',
          })
        }),
      ),
    ])
    for (const [seed, key] of keys.entries())
      expectSame(await readAll(blobs, key), bytesOf(400_000, seed))
    expect(await store.count(book, always)).toBe(200)
    await Promise.all([blobs.close(), store.close()])
  })

  it('is away while another process holds the file, does not hold up the event loop, and is used again', async () => {
    const file = join(folder, 'held.db')
    const blobs = sqliteBlobs(file, { durability: 'normal' })
    await blobs.open()
    const kept = await blobs.write(inPieces(bytesOf(10)))
    const holder = (await loadDriver()).open(file, { readOnly: false })
    holder.exec('begin immediate')
    const { promise: outcome, isOver } = watched(blobs.write(inPieces(bytesOf(300_000))))
    let longest = 0
    for (let last = performance.now(); !isOver(); last = performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, 5))
      longest = Math.max(longest, performance.now() - last)
      if (longest < 1_000) expectSame(await readAll(blobs, kept), bytesOf(10))
    }
    await expect(outcome).rejects.toThrow(StoreUnavailable)
    expect(longest).toBeLessThan(1_000)
    holder.exec('rollback')
    holder.close()
    expectSame(
      await readAll(blobs, await blobs.write(inPieces(bytesOf(300_000)))),
      bytesOf(300_000),
    )
    await blobs.close()
  })

  it('is away once it is closed', async () => {
    const blobs = sqliteBlobs(join(folder, 'closed.db'))
    await blobs.open()
    await blobs.close()
    await blobs.close()
    await expect(blobs.write(inPieces(bytesOf(1)))).rejects.toThrow(StoreUnavailable)
    await expect(blobs.open()).rejects.toThrow(StoreUnavailable)
  })

  it('never gives the bytes of another blob under a number that is free again', async () => {
    const file = join(folder, 'numbers.db')
    const blobs = sqliteBlobs(file, { durability: 'normal' })
    await blobs.open()
    const key = await blobs.write(inPieces(bytesOf(600_000, 1)))
    const chunks = (await blobs.read(key))![Symbol.asyncIterator]()
    await chunks.next()
    await blobs.delete([key])
    await blobs.write(inPieces(bytesOf(600_000, 2)))
    await expect(chunks.next()).rejects.toThrow(BlobGone)
    await blobs.close()
  })
})

function watched<T>(promise: Promise<T>) {
  let isOver = false
  const end = () => {
    isOver = true
  }
  promise.then(end, end)
  return { promise, isOver: () => isOver }
}
