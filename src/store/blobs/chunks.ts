/**
 * Bytes in memory as the stream that blob stores expect. No bytes are one empty chunk.
 *
 * ```ts
 * const key = await memoryBlobs().write(singleChunk(bytes))
 * ```
 */
export async function* singleChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes
}

/**
 * All bytes of a stream in memory: an empty buffer if there are none. It copies the chunks when the
 * stream ends, so the stream must not write into a chunk again, as {@link rechunk} does.
 *
 * ```ts
 * const text = (await concatChunks(stream)).toString('utf8')
 * ```
 */
export async function concatChunks(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Cuts a stream into chunks of one size. The last chunk may be smaller; none is empty. Two buffers
 * alternate, so that a chunk can be written while the next one is filled. It must be written when
 * the chunk after the next is requested. The size is in bytes.
 *
 * ```ts
 * for await (const chunk of rechunk(stream, 65_536)) console.log(chunk.length)
 * ```
 */
export async function* rechunk(
  stream: AsyncIterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  let buffer: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(size)
  let otherBuffer: Buffer<ArrayBuffer> | undefined
  let filledBytes = 0
  for await (const chunk of stream) {
    for (let offset = 0; offset < chunk.length; ) {
      const piece = chunk.subarray(offset, offset + size - filledBytes)
      buffer.set(piece, filledBytes)
      filledBytes += piece.length
      offset += piece.length
      if (filledBytes < size) continue
      yield buffer
      const next: Buffer<ArrayBuffer> = otherBuffer ?? Buffer.allocUnsafeSlow(size)
      otherBuffer = buffer
      buffer = next
      filledBytes = 0
    }
  }
  if (filledBytes > 0) yield buffer.subarray(0, filledBytes)
}
