export { bytesOf, inPieces } from '../../src/contracts/bytes.ts'

/** The given chunks. */
export async function* chunksOf(
  ...chunks: readonly (Uint8Array | string)[]
): AsyncGenerator<Uint8Array, void> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

/** All bytes together. */
export async function allOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}
