import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type BlobStore,
  createRouter,
  file,
  image,
  model,
  type Router,
  type Store,
} from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { memory, memoryBlobs } from 'resourcery/memory'
import { postgresBlobs } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { s3Blobs } from 'resourcery/s3'
import { sqlite, sqliteBlobs } from 'resourcery/sqlite'
import sharp from 'sharp'
import { afterAll, describe, expect, it } from 'vitest'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'
import { sha256 } from '../support/resources.ts'
import { s3Server } from '../support/s3-server.ts'

/** REPLACEMENTS=2000 for the long form. */
const replacements = Number(process.env.REPLACEMENTS ?? 12)

const Book = model('book', {
  cover: image({ variants: { formats: ['png', 'webp'], sizes: [16, 32] } }),
  manuscript: file(),
})

interface Storage {
  readonly store: Store
  readonly blobs: BlobStore
}

/** Opens the storage in a process; called twice, it stands for two processes. */
type Opening = () => Storage | Promise<Storage>

const cleanups: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const cleanup of cleanups.reverse()) await cleanup()
})

async function inFolder(blobsIn: (folder: string) => BlobStore): Promise<Opening> {
  const folder = await mkdtemp(join(tmpdir(), 'pictures-'))
  cleanups.push(() => rm(folder, { recursive: true, force: true }))
  return () => ({
    store: sqlite(join(folder, 'items.db'), { durability: 'normal' }),
    blobs: blobsIn(folder),
  })
}

const kinds: readonly {
  readonly name: string
  readonly isShared: boolean
  make(): Promise<Opening>
}[] = [
  {
    name: 'memory',
    isShared: false,
    make: async () => {
      const storage = { store: memory(), blobs: memoryBlobs() }
      return () => storage
    },
  },
  {
    name: 'files',
    isShared: true,
    make: () => inFolder((folder) => fileBlobs(join(folder, 'blobs'), { durability: 'normal' })),
  },
  {
    name: 'sqlite',
    isShared: true,
    make: () =>
      inFolder((folder) => sqliteBlobs(join(folder, 'blobs.db'), { durability: 'normal' })),
  },
  {
    name: 's3',
    isShared: true,
    make: async () => {
      const { endpoint, bucket, credentials, close } = await s3Server()
      cleanups.push(close)
      return inFolder(() => s3Blobs({ endpoint, bucket, credentials }))
    },
  },
]

const postgresKind: (typeof kinds)[number] = {
  name: 'postgres',
  isShared: true,
  make: async () => {
    const database = await newDatabase()
    cleanups.push(() => database.drop())
    return inFolder(() => postgresBlobs(database.url))
  },
}

async function opened(opening: Opening, reportedErrors: unknown[]): Promise<Router> {
  const router = createRouter({
    policy: rest(),
    ...(await opening()),
    onError: (error) => reportedErrors.push(error),
  })
  router.prepare(Book)
  await router.open()
  cleanups.push(() => router.close())
  return router
}

const noise = (number: number): Promise<Buffer> =>
  sharp(
    Buffer.from(
      Array.from({ length: 48 * 40 * 3 }, (_, index) => (index * (number + 7) * 31) % 251),
    ),
    {
      raw: { width: 48, height: 40, channels: 3 },
    },
  )
    .png()
    .toBuffer()

/**
 * Replaces the cover and the manuscript again and again while several clients read them; returns
 * every wrong response.
 */
async function replacedWhileRead(
  reader: Router,
  writer: Router,
): Promise<{ wrong: string[]; reads: number }> {
  await writer.load(Book, [{ id: 'b-1' }])
  const originals = new Map<string, Buffer>()
  const put = async (number: number) => {
    const bytes = await noise(number)
    originals.set(`"${sha256(bytes)}"`, bytes)
    for (const [field, type] of [
      ['cover', 'image/png'],
      ['manuscript', 'application/octet-stream'],
    ] as const) {
      const upload = new Request(`http://h/books/b-1/${field}`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: new Uint8Array(bytes),
      })
      expect((await writer.handle(upload)).status).toBe(200)
    }
  }
  await put(0)
  const [first] = originals.keys()
  const wrong: string[] = []
  let reads = 0
  let isOver = false
  const read = async (
    method: 'GET' | 'HEAD',
    path: string,
    headers: Record<string, string> = {},
  ) => {
    const response = await reader.handle(
      new Request(`http://h/books/b-1/${path}`, { method, headers }),
    )
    const body = Buffer.from(await response.arrayBuffer())
    const etag = response.headers.get('etag') ?? ''
    const original = originals.get(etag)
    const fits = {
      200: () =>
        method === 'HEAD'
          ? !original || response.headers.get('content-length') === String(original.length)
          : `"${sha256(body)}"` === etag,
      206: () => original?.subarray(10, 60).equals(body) ?? false,
    }[response.status]
    reads++
    if (!fits?.())
      wrong.push(
        `${method} ${path} ${JSON.stringify(headers)}: ${response.status}, ${body.length} bytes`,
      )
  }
  const again = async (...args: Parameters<typeof read>) => {
    while (!isOver) {
      await read(...args)
      await new Promise(setImmediate)
    }
  }
  const range = 'bytes=10-59'
  const readers = [
    ...['cover', 'manuscript'].flatMap((path) => [
      again('GET', path),
      again('GET', path),
      again('GET', path, { range }),
      again('GET', path, { range, 'if-range': first! }),
      again('HEAD', path),
    ]),
    ...['cover/png/16', 'cover/webp/16', 'cover/png/32'].flatMap((path) => [
      again('GET', path),
      again('GET', path),
    ]),
    again('HEAD', 'cover/webp/32'),
  ]
  for (let number = 1; number <= replacements; number++) await put(number)
  isOver = true
  await Promise.all(readers)
  return { wrong, reads }
}

describe.each(kinds)('Bytes that are replaced while they are read, in $name', areWhole)
describePostgres('Bytes that are replaced while they are read, in postgres', () =>
  areWhole(postgresKind),
)

function areWhole({ isShared, make }: (typeof kinds)[number]): void {
  it.each(isShared ? ['this process', 'another process'] : ['this process'])(
    'are always complete and of one version, while %s replaces them',
    async (by) => {
      const opening = await make()
      const reportedErrors: unknown[] = []
      const reader = await opened(opening, reportedErrors)
      const writer = by === 'this process' ? reader : await opened(opening, reportedErrors)
      const { wrong, reads } = await replacedWhileRead(reader, writer)
      expect(reportedErrors).toEqual([])
      expect(wrong).toEqual([])
      expect(reads).toBeGreaterThan(replacements)
    },
    120_000,
  )
}
