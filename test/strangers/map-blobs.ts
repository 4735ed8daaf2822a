import { BlobGone, type BlobStore, concatChunks, makeBlobKey } from 'resourcery/store'

interface Blob {
  /** Undefined during the upload. */
  bytes: Uint8Array | undefined
  writtenAt: number
}

const chunkBytes = 65_536

/** A blob store over a `Map`, written with the public names of the package alone. */
export function mapBlobs(): BlobStore {
  const blobs = new Map<string, Blob>()
  return {
    async open() {},
    async write(bytes) {
      const key = makeBlobKey()
      const blob: Blob = { bytes: undefined, writtenAt: Date.now() }
      async function* copies() {
        for await (const chunk of bytes) {
          if (!blobs.has(key)) throw new BlobGone(key)
          blob.writtenAt = Date.now()
          yield new Uint8Array(chunk)
        }
      }
      blobs.set(key, blob)
      try {
        const all = await concatChunks(copies())
        if (!blobs.has(key)) throw new BlobGone(key)
        blob.bytes = all
        blob.writtenAt = Date.now()
        return key
      } catch (error) {
        blobs.delete(key)
        throw error
      }
    },
    async read(key, range) {
      const bytes = blobs.get(key)?.bytes
      return bytes && chunksOf(bytes.subarray(range?.start ?? 0, (range?.end ?? bytes.length) + 1))
    },
    async delete(keys) {
      for (const key of keys) blobs.delete(key)
    },
    async *list() {
      for (const [key, { writtenAt }] of blobs) yield { key, writtenAt }
    },
    async close() {},
  }
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < bytes.length; offset += chunkBytes)
    yield new Uint8Array(bytes.subarray(offset, offset + chunkBytes))
}
