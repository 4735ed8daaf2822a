import { defaultUnfinishedBodyBytes, UnfinishedBody } from '../http/unfinished-bodies.ts'
import { bodyTooLarge } from './body-too-large.ts'

/**
 * @param read reads the chunks; they end when the signal is aborted
 * @throws ApiError `body-too-large`, or `overloaded` if too many bodies are unfinished
 */
export async function wholeBody(
  read: (signal: AbortSignal) => AsyncIterable<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  const unfinished = new UnfinishedBody(defaultUnfinishedBodyBytes)
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of read(unfinished.signal)) {
      size += chunk.byteLength
      if (size > limit) throw bodyTooLarge(limit)
      parts.push(chunk)
      unfinished.add(chunk.byteLength)
    }
    unfinished.signal.throwIfAborted()
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)
  } finally {
    unfinished.end()
  }
}
