import { bodyTooLarge } from './body-too-large.ts'

/** @throws ApiError `body-too-large` */
export async function wholeBody(
  chunks: AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > limit) throw bodyTooLarge(limit)
    parts.push(chunk)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)
}
