/**
 * The bytes in chunks of one size, the last one smaller, none empty. Each is a new one, so it can be written while the next is being
 * filled, whatever the source does with its own.
 */
export async function* inChunks(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let chunk = Buffer.allocUnsafeSlow(size)
  let filled = 0
  for await (const part of bytes) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + size - filled)
      chunk.set(taken, filled)
      filled += taken.length
      at += taken.length
      if (filled < size) continue
      yield chunk
      chunk = Buffer.allocUnsafeSlow(size)
      filled = 0
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled)
}
