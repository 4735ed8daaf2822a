import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import { makeBlobKey } from '../blobs/blob-key.ts'

interface Entry {
  /** Undefined while it is written. */
  bytes: Uint8Array | undefined
  writtenAt: number
}

const chunkBytes = 65_536

/**
 * A blob store that keeps everything in this process and forgets it at its end: for tests and first
 * steps.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
 * ```
 */
export function memoryBlobs(): BlobStore {
  const entries = new Map<string, Entry>()
  return {
    async open() {},
    async write(bytes) {
      const key = makeBlobKey()
      const entry: Entry = { bytes: undefined, writtenAt: Date.now() }
      entries.set(key, entry)
      try {
        const parts: Uint8Array[] = []
        for await (const part of bytes) {
          if (!entries.has(key)) throw new BlobGone(key)
          parts.push(new Uint8Array(part))
          entry.writtenAt = Date.now()
        }
        if (!entries.has(key)) throw new BlobGone(key)
        entry.bytes = Buffer.concat(parts)
        entry.writtenAt = Date.now()
        return key
      } catch (error) {
        entries.delete(key)
        throw error
      }
    },
    async read(key, span) {
      const bytes = entries.get(key)?.bytes
      return bytes && chunksOf(bytes, span)
    },
    async delete(keys) {
      for (const key of keys) entries.delete(key)
    },
    async *list() {
      for (const [key, { writtenAt }] of entries) yield { key, writtenAt }
    },
    async close() {},
  }
}

async function* chunksOf(
  bytes: Uint8Array,
  span: ByteRange | undefined,
): AsyncGenerator<Uint8Array, void> {
  const end = Math.min(bytes.length, (span?.end ?? Number.POSITIVE_INFINITY) + 1)
  for (let at = span?.start ?? 0; at < end; at += chunkBytes) {
    yield new Uint8Array(bytes.subarray(at, Math.min(end, at + chunkBytes)))
  }
}
