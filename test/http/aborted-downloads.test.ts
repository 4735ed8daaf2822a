import { mkdtemp, readdir, readlink, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BlobStore, createRouter, file, model } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { serve } from 'resourcery/node'
import { postgresBlobs } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesOf } from '../support/bytes.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../support/postgres/postgres-server.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'

const Book = model('book', { manuscript: file() })

/** The files below the folder that this process has open. */
async function openBelow(folder: string): Promise<string[]> {
  const paths = (await readdir('/proc/self/fd')).map((fd) =>
    readlink(`/proc/self/fd/${fd}`).catch(() => ''),
  )
  return (await Promise.all(paths)).filter((path) => path.startsWith(folder)).sort()
}

/** Sends a request, and disconnects at the first bytes or before. */
function leave(port: number, path: string, waits: boolean): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(`GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`, () => {
      if (!waits) setTimeout(() => socket.resetAndDestroy(), 1)
    })
    socket.once('data', () => socket.resetAndDestroy())
  })
}

interface BlobKind {
  readonly name: string
  make(folder: string): BlobStore
}

describe.skipIf(process.platform !== 'linux').each<BlobKind>([
  { name: 'files', make: (folder) => fileBlobs(join(folder, 'blobs'), { durability: 'normal' }) },
  {
    name: 'sqlite',
    make: (folder) => sqliteBlobs(join(folder, 'blobs.db'), { durability: 'normal' }),
  },
])('Downloads whose clients leave, on $name', leaveNothing)

describePostgres('Downloads whose clients leave, on postgres', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database.drop())
  // With one connection, a download that kept it would block all others.
  leaveNothing({
    name: 'postgres',
    make: () => postgresBlobs(database.url, { maxConnections: 1 }),
  })
})

function leaveNothing({ make }: BlobKind): void {
  it('leave nothing open, and replaced blobs are deleted afterwards', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'aborted-'))
    const blobs = make(folder)
    const router = createRouter({ policy: rest(), store: sqlite(join(folder, 'items.db')), blobs })
    router.prepare(Book)
    await router.load(Book, [{ id: 'b-1' }])
    const put = (seed: number) =>
      router.loadResource(
        Book,
        { id: 'b-1', path: 'manuscript' },
        { bytes: bytesOf(8_000_000 + seed), contentType: 'application/octet-stream' },
      )
    await put(0)
    const server = await serve(router, { host: '127.0.0.1', port: 0 })
    const before = await openBelow(folder)
    for (let round = 1; round <= 3; round++) {
      const clients = Array.from({ length: 20 }, (_, number) =>
        leave(server.port, '/books/b-1/manuscript', number % 2 === 0),
      )
      await put(round)
      await Promise.all(clients)
    }
    await expect.poll(() => openBelow(folder), { timeout: 10_000 }).toEqual(before)
    const keys = async () => {
      const files: string[] = []
      for await (const { key } of blobs.list()) files.push(key)
      return files
    }
    await expect.poll(async () => (await keys()).length, { timeout: 10_000 }).toBe(1)
    await server.close()
    await router.close()
    await rm(folder, { recursive: true })
  }, 60_000)
}
