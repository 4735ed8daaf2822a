import { makeBlobKey } from './blob-key.ts'

/** How a blob store writes and removes the bytes of a key. */
export interface BlobWriter {
  receive(key: string, bytes: AsyncIterable<Uint8Array>): Promise<void>
  remove(key: string): Promise<void>
}

/** Writes bytes under a new key, and removes them again if that fails. */
export async function writeNewBlob(
  writer: BlobWriter,
  bytes: AsyncIterable<Uint8Array>,
): Promise<string> {
  const key = makeBlobKey()
  try {
    await writer.receive(key, bytes)
    return key
  } catch (error) {
    // A blob that cannot be removed now stays listed, and the sweep removes it.
    await writer.remove(key).catch(() => {})
    throw error
  }
}
