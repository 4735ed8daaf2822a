import { JoinedChunks } from '../http/joined-chunks.ts'
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
  const joined = new JoinedChunks()
  try {
    for await (const chunk of read(unfinished.signal)) {
      if (joined.size + chunk.byteLength > limit) throw bodyTooLarge(limit)
      joined.add(chunk)
      unfinished.add(chunk.byteLength)
    }
    unfinished.signal.throwIfAborted()
    return joined.whole()
  } finally {
    unfinished.end()
  }
}
