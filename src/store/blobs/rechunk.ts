/**
 * The bytes in chunks of one size, the last one smaller, none empty. A chunk can be written while
 * the next is being filled, whatever the source does with its own; its memory is used again for the
 * one after that, so it has to be written by then.
 */
export async function* rechunk(
  bytes: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let filling: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(size)
  let spare: Buffer<ArrayBuffer> | undefined
  let filled = 0
  for await (const part of bytes) {
    for (let at = 0; at < part.length; ) {
      const taken = part.subarray(at, at + size - filled)
      filling.set(taken, filled)
      filled += taken.length
      at += taken.length
      if (filled < size) continue
      yield filling
      const next: Buffer<ArrayBuffer> = spare ?? Buffer.allocUnsafeSlow(size)
      spare = filling
      filling = next
      filled = 0
    }
  }
  if (filled > 0) yield filling.subarray(0, filled)
}
