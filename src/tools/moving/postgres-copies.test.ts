import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memory, memoryBlobs } from 'resourcery/memory'
import { postgres, postgresBlobs } from 'resourcery/postgres'
import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
import { afterAll, afterEach, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { copyItems } from './copy-items.ts'
import { exportItems } from './export-items.ts'
import { importItems } from './import-items.ts'
import {
  arrayOf,
  fillLibrary,
  libraryOf,
  models,
  Novel,
  responsesOf,
  Writer,
} from './library.testing.ts'
import type { MovableStore } from './move-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'postgres-copies-'))
afterAll(() => rmSync(folder, { recursive: true }))

const open: MovableStore[] = []
let database: TestDatabase | undefined
afterEach(async () => {
  for (const { store, blobs } of open.splice(0)) {
    await store.close()
    await blobs?.close()
  }
  await database?.drop()
  database = undefined
})

function remember(storage: MovableStore): MovableStore {
  open.push(storage)
  return storage
}

function newSqlite(): MovableStore {
  const file = join(folder, `${open.length}-${Math.random()}.db`)
  return remember({ store: sqlite(file), blobs: sqliteBlobs(file) })
}

async function newPostgres(): Promise<MovableStore> {
  database = await newDatabase()
  const { url } = database
  return remember({ store: postgres(url), blobs: postgresBlobs(url) })
}

describePostgres('copies to tables of PostgreSQL', () => {
  it('and back give the same responses, in circles of required relations too', async () => {
    const from = newSqlite()
    const original = libraryOf(from)
    await fillLibrary(original)
    const tables = await newPostgres()
    const there = await copyItems(from, tables, { models })
    const instants = /"publishedAt":"[^"]+"|"code":"[^"]+"/g
    const normal = (documents: unknown) =>
      JSON.parse(JSON.stringify(documents).replaceAll(instants, '"normal":true'))
    const expected = await responsesOf(original)
    expect(normal(await responsesOf(libraryOf(tables)))).toEqual(normal(expected))
    const back = newSqlite()
    const again = await copyItems(tables, back, { models })
    expect(normal(await responsesOf(libraryOf(back)))).toEqual(normal(expected))
    expect([there.writtenCount, again.writtenCount, again.sha256]).toEqual([10, 10, there.sha256])
    const [novel] = await arrayOf(libraryOf(back).query(Novel).where('id').equal('n2').exec())
    expect(novel).toMatchObject({ cost: 2.5, similar: ['n1', 'n2'] })
    const text = await libraryOf(back).handle(new Request('http://localhost/novels/n1/text'))
    expect(await text.text()).toBe('Once upon a time')
  })

  it('through a file give the same items', async () => {
    const from = newSqlite()
    await fillLibrary(libraryOf(from))
    const file = join(folder, 'library.jsonl')
    const written = await exportItems(from, file, { models })
    const report = await importItems(await newPostgres(), file, { models })
    expect(report).toMatchObject({ writtenCount: 10, sha256: written.sha256 })
  })

  it('name the item whose related item does not exist', async () => {
    const from = { store: memory(), blobs: memoryBlobs() }
    const router = libraryOf(from)
    await fillLibrary(router)
    await router.load(Novel, [{ id: 'n4', title: 'Four', cost: 4, scans: [], author: 'nobody' }])
    const tables = await newPostgres()
    await expect(copyItems(from, tables, { models })).rejects.toThrow(
      "Cannot write the novel 'n4': 'author' leads to the writer 'nobody', which does not exist.",
    )
  })

  it('are refused by load() too, which names the item', async () => {
    const router = libraryOf(await newPostgres())
    const writer = { id: 'w', name: 'W', mentor: 'nobody' }
    await expect(router.load(Writer, [writer])).rejects.toThrow(
      new TypeError(
        "The writer 'w' cannot be loaded: 'mentor' leads to the writer 'nobody', which does not exist.",
      ),
    )
    expect(await router.query(Writer).size()).toBe(0)
  })

  it('name the item whose deferred relation leads nowhere', async () => {
    const from = { store: memory(), blobs: memoryBlobs() }
    const router = libraryOf(from)
    await fillLibrary(router)
    const novel = { id: 'n4', title: 'Four', cost: 4, scans: [], author: 'z', similar: ['n9'] }
    await router.load(Novel, [novel])
    await expect(copyItems(from, await newPostgres(), { models })).rejects.toThrow(
      "Cannot write the novel 'n4': 'similar' leads to the novel 'n9', which does not exist.",
    )
  })
})
