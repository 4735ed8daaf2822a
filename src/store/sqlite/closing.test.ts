import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { model } from 'resourcery'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { describeModels as described } from '../../model/describe/describe-models.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { singleChunk } from '../blobs/chunks.ts'
import { StoreClosed } from '../store-failures.ts'
import { sqlite, sqliteBlobs } from './sqlite.ts'

const [note] = described([model('note', { text: z.string() })])

let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'closing-'))
})

afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** The descriptors of this process that lead into the folder. */
function descriptors(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const target = readlinkSync(join('/proc/self/fd', fd))
      return target.startsWith(folder) ? [target] : []
    } catch {
      return []
    }
  })
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

function walSize(file: string): number {
  return existsSync(`${file}-wal`) ? statSync(`${file}-wal`).size : 0
}

test.skipIf(process.platform !== 'linux')(
  'a closed store holds no file, and its WAL is in the database',
  async () => {
    const file = join(folder, 'notes.db')
    const store = sqlite(file, { durability: 'normal' })
    await store.open([note!])
    for (let index = 0; index < 50; index++)
      await store.write((transaction) =>
        transaction.insert(note!, createStoredItem(note!, { id: `n-${index}`, text: 'x' }, 1)),
      )
    for await (const _ of store.list(note!, allItemsPlan));
    expect(walSize(file)).toBeGreaterThan(0)
    expect(descriptors().length).toBeGreaterThan(0)
    await store.close()
    expect(readdirSync(folder)).toEqual([basename(file)])
    expect(descriptors()).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')(
  'a closed blob store holds no file, and its WAL is in the database',
  async () => {
    const file = join(folder, 'blobs.db')
    const blobs = sqliteBlobs(file)
    await blobs.open()
    const key = await blobs.write(singleChunk(new Uint8Array(300_000)))
    for await (const _ of (await blobs.read(key))!);
    expect(walSize(file)).toBeGreaterThan(0)
    await blobs.close()
    expect(readdirSync(folder)).toEqual([basename(file)])
    expect(descriptors()).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')(
  'stores that are opened and closed repeatedly leave no file open',
  async () => {
    for (let times = 0; times < 30; times++) {
      const store = sqlite(join(folder, `${times}.db`))
      await store.open([note!])
      await store.close()
      expect(descriptors()).toEqual([])
    }
  },
)

test.skipIf(process.platform !== 'linux')(
  'a store that was open for long holds no file after it is closed, in both layouts',
  async () => {
    for (const layout of ['documents', 'tables'] as const) {
      const store = sqlite(join(folder, `${layout}.db`), layout === 'tables' ? { layout } : {})
      await store.open([note!])
      // Its statements survive two collections, and are old objects then.
      for (let times = 0; times < 3; times++) {
        for await (const _ of store.list(note!, allItemsPlan));
        collectGarbage()
      }
      await store.close()
      expect(descriptors()).toEqual([])
      expect(readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([])
    }
  },
)

test('a list that is read on after its store was closed ends with StoreClosed', async () => {
  const store = sqlite(join(folder, 'a.db'))
  await store.open([note!])
  await store.write(async (transaction) => {
    for (let index = 0; index < 3_000; index++)
      await transaction.insert(note!, createStoredItem(note!, { id: `n${index}`, text: 'T' }, 1))
  })
  const readOn = async () => {
    for await (const _ of store.list(note!, allItemsPlan)) await store.close()
  }
  await expect(readOn()).rejects.toThrow(new StoreClosed('The store is closed.'))
})
