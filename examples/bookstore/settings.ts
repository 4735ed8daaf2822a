import type { BlobStore, Store } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { memory, memoryBlobs } from 'resourcery/memory'
import { sqlite } from 'resourcery/sqlite'

/** The settings from environment variables. */
export interface Settings {
  readonly host: string
  readonly port: number
  /** The base address of links; the listening address unless `PUBLIC_URL` is set. */
  readonly baseUrl: string | undefined
  readonly store: Store
  readonly blobs: BlobStore
  /** The minimum age of unreferenced blobs that the sweep at the start deletes. */
  readonly blobGraceMs: number
  readonly seed: boolean
  readonly log: boolean
}

/** @throws Error that names the invalid variable and what is expected */
export function settings(env: NodeJS.ProcessEnv): Settings {
  const database = env.DATABASE_URL ?? 'sqlite:.data/bookstore.db'
  return {
    host: env.HOST ?? '127.0.0.1',
    port: portOf(env.PORT ?? '3000'),
    baseUrl: addressOf(env.PUBLIC_URL),
    store: storeAt(database),
    blobs: blobsAt(env.BLOBS_DIR, database),
    blobGraceMs: millisecondsOf(env.BLOB_GRACE_MS ?? '3600000'),
    seed: env.SEED !== '0',
    log: env.LOG !== 'silent',
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d+$/.test(text) && port <= 65_535) return port
  throw new Error(`PORT must be a number from 0 to 65535 (0 picks a free port); got '${text}'.`)
}

function millisecondsOf(text: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text)
  throw new Error(`BLOB_GRACE_MS must be a number of milliseconds; got '${text}'.`)
}

function addressOf(text: string | undefined): string | undefined {
  if (text === undefined || /^https?:\/\/[^/?#\s]+$/.test(text)) return text
  throw new Error(
    `PUBLIC_URL must be an http or https URL without a path, such as 'https://books.example'; got '${text}'.`,
  )
}

function storeAt(url: string): Store {
  if (url === 'memory:') return memory()
  if (url.startsWith('sqlite:')) return sqlite(url.slice('sqlite:'.length))
  throw new Error(`DATABASE_URL must be 'memory:' or 'sqlite:<file>'; got '${url}'.`)
}

/**
 * Each database has a blob folder of its own, because blobs that its items do not reference are
 * deleted.
 */
function blobsAt(folder: string | undefined, database: string): BlobStore {
  if (folder !== undefined) return fileBlobs(folder)
  return database === 'memory:'
    ? memoryBlobs()
    : fileBlobs(`${database.slice('sqlite:'.length)}-blobs`)
}
