import { maxStreamChunkBytes, registerStream } from '../concurrency/stream-budget.ts'
import { isClientAbort } from '../context/client-abort.ts'
import { noBody, type ResponseBody } from '../http/api-response.ts'
import { closableChunks } from './first-batch.ts'
import { joinAdjacentText } from './join-adjacent-text.ts'
import type { ResponseContext } from './response-context.ts'

type Piece = string | Uint8Array

/** Larger bodies are streamed. */
const maxWholeBytes = 1_048_576

/** A short body as buffers; a longer one as a stream that has started. */
export async function chunksOrStream(
  { services, context }: Pick<ResponseContext, 'services' | 'context'>,
  pieces: AsyncGenerator<Piece>,
): Promise<ResponseBody> {
  let firstPieces: Piece[] = []
  const endStream = registerStream()
  try {
    for (let length = 0; length <= Math.min(maxWholeBytes, maxStreamChunkBytes()); ) {
      const next = await pieces.next()
      if (next.done) return { kind: 'buffers', buffers: joinAdjacentText(firstPieces) }
      firstPieces.push(next.value)
      length += next.value.length
    }
  } finally {
    endStream()
  }
  if (context.request.method === 'HEAD') {
    await pieces.return(undefined)
    return noBody
  }
  return { kind: 'stream', chunks: closableChunks(chunks(), pieces) }

  async function* chunks(): AsyncGenerator<Piece> {
    try {
      const first = joinAdjacentText(firstPieces)
      firstPieces = []
      yield* first
      yield* pieces
    } catch (error) {
      // The response is partly sent, so the host closes the connection.
      if (!isClientAbort(error, context)) services.onError(error, context)
      throw error
    } finally {
      await pieces.return(undefined)
    }
  }
}
