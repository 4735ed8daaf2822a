import { maxStreamChunkBytes, registerStream } from '../concurrency/stream-budget.ts'
import { isClientAbort } from '../context/client-abort.ts'
import { noBody, type ResponseBody } from '../http/api-response.ts'
import { joinAdjacentText } from './join-adjacent-text.ts'
import type { ResponseContext } from './response-context.ts'

type Piece = string | Uint8Array

/** Bytes of a body that is held as a whole, where there are few of them. */
const maxWholeBytes = 1_048_576

/** A body in parts where it is short; else a stream of the pieces, which has begun. */
export async function chunksOrStream(
  { services, context }: Pick<ResponseContext, 'services' | 'context'>,
  pieces: AsyncGenerator<Piece>,
): Promise<ResponseBody> {
  let begun: Piece[] = []
  const endStream = registerStream()
  try {
    for (let length = 0; length <= Math.min(maxWholeBytes, maxStreamChunkBytes()); ) {
      const next = await pieces.next()
      if (next.done) return { kind: 'parts', buffers: joinAdjacentText(begun) }
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
      const first = joinAdjacentText(begun)
      begun = []
      yield* first
      yield* pieces
    } catch (error) {
      // The answer is under way: the host breaks it off.
      if (!isClientAbort(error, context)) services.onError(error, context)
      throw error
    } finally {
      await pieces.return(undefined)
    }
  }
}
