import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BlobStore } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { postgresBlobs } from 'resourcery/postgres'
import { sqliteBlobs } from 'resourcery/sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { sweep } from '../../src/store/blobs/sweep.ts'
import { allOf } from '../support/bytes.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

const title = 'keeps every acknowledged blob, and no other after the sweep'
const kills = Number(process.env.KILLS ?? 6)
const folder = mkdtempSync(join(tmpdir(), 'blob-kills-'))
const built = (path: string) =>
  JSON.stringify(fileURLToPath(new URL(`../../dist/${path}`, import.meta.url)))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Uploads endlessly, several at a time, and prints each acknowledged upload with its hash. */
const program = `
import { createHash, randomBytes } from 'node:crypto'
const [kind, place] = process.argv.slice(1)
const { fileBlobs } = await import(${built('store/files/file-blobs.js')})
const { sqliteBlobs } = await import(${built('store/sqlite/sqlite-blobs.js')})
const { postgresBlobs } = await import(${built('store/postgres/postgres.js')})
const blobs = { files: fileBlobs, sqlite: sqliteBlobs, postgres: postgresBlobs }[kind](place)
await blobs.open()
async function* pieces(bytes) {
  for (let at = 0; at < bytes.length; at += 65536) {
    await new Promise(setImmediate)
    yield bytes.subarray(at, at + 65536)
  }
}
await Promise.all([1, 2, 3].map(async () => {
  for (;;) {
    const bytes = randomBytes(Math.floor(Math.random() * 900_000))
    const key = await blobs.write(pieces(bytes))
    process.stdout.write(key + ' ' + createHash('sha256').update(bytes).digest('hex') + '\\n')
  }
}))
`

describe.each([
  { kind: 'files', open: (path: string): BlobStore => fileBlobs(path) },
  { kind: 'sqlite', open: (path: string): BlobStore => sqliteBlobs(path) },
])('4.3: blobs in $kind, in a process that is killed', ({ kind, open }) => {
  it(title, () => expectNoLoss(kind, join(folder, kind), open), 120_000)
})

describePostgres('4.3: blobs in postgres, in a process that is killed', () => {
  it(title, async () => {
    const database = await newDatabase()
    await expectNoLoss('postgres', database.url, postgresBlobs)
    await database.drop()
  }, 120_000)
})

async function expectNoLoss(
  kind: string,
  place: string,
  open: (place: string) => BlobStore,
): Promise<void> {
  const acknowledged = new Map<string, string>()
  let remaining = 0
  for (let kill = 0; kill < kills; kill++) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', program, kind, place])
    await uploadUntilKilled(child, acknowledged)
    const blobs = open(place)
    await blobs.open()
    for (const [key, hash] of acknowledged) {
      const chunks = await blobs.read(key)
      expect(chunks, key).toBeDefined()
      expect(
        createHash('sha256')
          .update(await allOf(chunks!))
          .digest('hex'),
      ).toBe(hash)
    }
    // Complete but unacknowledged blobs count as unreferenced.
    remaining += await sweep(blobs, new Set(acknowledged.keys()), -1_000)
    const keys: string[] = []
    for await (const { key } of blobs.list()) keys.push(key)
    expect(keys.sort()).toEqual([...acknowledged.keys()].sort())
    await blobs.close()
  }
  expect(acknowledged.size).toBeGreaterThan(kills)
  expect(remaining).toBeGreaterThan(0)
}

async function uploadUntilKilled(
  child: ChildProcess,
  acknowledged: Map<string, string>,
): Promise<void> {
  const lines = createInterface({ input: child.stdout! })
  const closed = new Promise((resolve) => child.on('close', resolve))
  let timer: NodeJS.Timeout | undefined
  for await (const line of lines) {
    const [key, hash] = line.split(' ')
    if (key && hash?.length === 64) acknowledged.set(key, hash)
    timer ??= setTimeout(() => child.kill('SIGKILL'), 50 + Math.random() * 250)
  }
  await closed
  clearTimeout(timer)
}
