/** Bytes that differ by position and seed, so that a mix of two blobs is noticed. */
export function bytesOf(size: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(size)
  let state = (seed * 2_654_435_761) >>> 0 || 1
  for (let offset = 0; offset < size; offset++) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[offset] = state
  }
  return bytes
}

/** The bytes in chunks of a size, as an upload sends them. */
export async function* inPieces(
  bytes: Uint8Array,
  size = 16_384,
): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < bytes.length; offset += size)
    yield bytes.slice(offset, offset + size)
}
