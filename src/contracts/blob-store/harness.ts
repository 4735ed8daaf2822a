import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { BlobStore, ByteRange } from '../../store/public.ts'
import { inPieces } from '../bytes.ts'

export interface OpenedBlobs {
  readonly blobs: BlobStore
  /** The chunk size of the store in bytes: sizes around it are tested. */
  readonly chunkBytes: number
  /** Everything that exists (files, rows, objects), by whatever names, read without the store. */
  listFiles(): Promise<readonly string[]>
  /** Another store over the same data, as another process would open it; the suite closes it. */
  openAgain?(): Promise<BlobStore>
  /** Closes the store and removes its data. */
  dispose(): Promise<void>
}

export type OpenBlobs = () => Promise<OpenedBlobs>

export interface BlobSuite {
  /** The titles of the tests declared so far. */
  readonly titles: ReadonlySet<string>
  /** A test with an empty store of its own. */
  alone(title: string, body: (opened: OpenedBlobs) => Promise<void>): void
}

export function suiteOf(open: OpenBlobs, skips: Readonly<Record<string, string>>): BlobSuite {
  const titles = new Set<string>()
  return {
    titles,
    alone(title, body) {
      titles.add(title)
      const reason = skips[title]
      const run = async () => {
        const opened = await open()
        try {
          await body(opened)
        } finally {
          await opened.dispose()
        }
      }
      if (reason === undefined) test(title, run, 60_000)
      else test.skip(`${title} (skipped: ${reason})`, run)
    },
  }
}

export class Aborted extends Error {}

/** An upload that fails after `count` bytes. */
export async function* abortedAfter(
  count: number,
  bytes: Uint8Array,
  size?: number,
): AsyncGenerator<Uint8Array, void> {
  yield* inPieces(bytes.subarray(0, count), size)
  throw new Aborted(`The upload was aborted after ${count} bytes.`)
}

export async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) {
    expect(chunk.length).toBeGreaterThan(0)
    expect(chunk.length).toBeLessThanOrEqual(1_048_576)
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}

export async function readAll(
  blobs: BlobStore,
  key: string,
  span?: ByteRange,
): Promise<Uint8Array | undefined> {
  const chunks = await blobs.read(key, span)
  return chunks && collect(chunks)
}

/** Compares without the long diff that a failing `toEqual` of bytes would make. */
export function expectSame(found: Uint8Array | undefined, expected: Uint8Array): void {
  expect(found?.length).toBe(expected.length)
  expect(Buffer.compare(found ?? new Uint8Array(), expected)).toBe(0)
}

export async function keysOf(blobs: BlobStore): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of blobs.list()) keys.push(key)
  return keys.sort()
}

/** The number of open descriptors of this process; 0 where the system does not report it. */
export function descriptors(): number {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return 0
  }
}

/** Descriptors may be closed a moment after the last call settled. */
export async function expectDescriptors(most: number): Promise<void> {
  await expect.poll(descriptors, { timeout: 5_000 }).toBeLessThanOrEqual(most)
}
