import { noBody, type ResponseBody } from '../http/api-response.ts'
import { openStream, streamShare } from '../store/open-streams.ts'
import type { Encoding } from './encoding.ts'
import { hasLeft } from './fail.ts'
import { partsOf } from './parts-of.ts'

type Piece = string | Uint8Array

/** Bytes of a body that is held as a whole, where there are few of them. */
const longestWhole = 1_048_576

/** A body in parts where it is short; else a stream of the pieces, which has begun. */
export async function partsOrStream(
  { parts, context }: Pick<Encoding, 'parts' | 'context'>,
  pieces: AsyncGenerator<Piece>,
): Promise<ResponseBody> {
  let begun: Piece[] = []
  const endStream = openStream()
  try {
    for (let length = 0; length <= Math.min(longestWhole, streamShare()); ) {
      const next = await pieces.next()
      if (next.done) return { kind: 'parts', parts: partsOf(begun) }
      begun.push(next.value)
      length += next.value.length
    }
  } finally {
    endStream()
  }
  if (context.request.method === 'HEAD') {
    await pieces.return(undefined)
    return noBody
  }
  return { kind: 'stream', chunks: chunks() }

  async function* chunks(): AsyncGenerator<Piece> {
    try {
      const first = partsOf(begun)
      begun = []
      yield* first
      yield* pieces
    } catch (error) {
      // The answer is under way: the host breaks it off.
      if (!hasLeft(error, context)) parts.report(error, context)
      throw error
    } finally {
      await pieces.return(undefined)
    }
  }
}
