import { BlobGone, type BlobStore, type ByteRange } from '../blob-store.ts'
import { makeBlobKey } from '../blobs/blob-key.ts'

interface Entry {
  /** Undefined during the upload. */
  bytes: Uint8Array | undefined
  writtenAt: number
}

const chunkBytes = 65_536

/**
 * A blob store in the memory of the process, for tests and first steps.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), store: memory(), blobs: memoryBlobs() })
 * ```
 */
export function memoryBlobs(): BlobStore {
  const entries = new Map<string, Entry>()
  return {
    facts: { isProcessLocal: true },
    async open() {},
    async write(bytes) {
      const key = makeBlobKey()
      const entry: Entry = { bytes: undefined, writtenAt: Date.now() }
      entries.set(key, entry)
      try {
        const chunks: Uint8Array[] = []
        for await (const chunk of bytes) {
          if (!entries.has(key)) throw new BlobGone(key)
          chunks.push(new Uint8Array(chunk))
          entry.writtenAt = Date.now()
        }
        if (!entries.has(key)) throw new BlobGone(key)
        entry.bytes = Buffer.concat(chunks)
        entry.writtenAt = Date.now()
        return key
      } catch (error) {
        entries.delete(key)
        throw error
      }
    },
    async read(key, range) {
      const bytes = entries.get(key)?.bytes
      return bytes && chunksOf(bytes, range)
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
  range: ByteRange | undefined,
): AsyncGenerator<Uint8Array, void> {
  const end = Math.min(bytes.length, (range?.end ?? Number.POSITIVE_INFINITY) + 1)
  for (let offset = range?.start ?? 0; offset < end; offset += chunkBytes)
    yield new Uint8Array(bytes.subarray(offset, Math.min(end, offset + chunkBytes)))
}
