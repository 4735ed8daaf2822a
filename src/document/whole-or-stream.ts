import { maxStreamChunkBytes, registerStream } from '../concurrency/stream-budget.ts'
import { isClientAbort } from '../context/client-abort.ts'
import type { Context } from '../context/context.ts'
import { closableChunks } from './first-batch.ts'
import type { RouterServices } from './router-services.ts'
import { TextPieces } from './text-pieces.ts'

type Chunk = string | Uint8Array

/** A document: as a whole, or as a stream that has started, where it is long. */
export type DocumentBody =
  | WholeBody
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Chunk> }

export type WholeBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'buffers'; readonly buffers: readonly Uint8Array[] }

export interface DocumentGrowth {
  /** Settles when the document is known to be too long to wait for. */
  readonly whenLarge: Promise<unknown>
  /** @throws ApiError `overloaded`, before anything is sent, if others hold too much */
  reserve(): Promise<void>
}

/** Longer documents are streamed. */
const maxWholeCharacters = 1_048_576

/**
 * Joins the chunks of a short document, because only a whole one can have a tag of its content. A
 * long one is streamed while it is written; the threshold falls with the number of streams.
 * @param growth of a document whose included items are not known yet
 */
export async function wholeOrStream(
  { services, context }: { readonly services: RouterServices; readonly context: Context },
  chunks: AsyncGenerator<Chunk>,
  growth: DocumentGrowth | undefined,
): Promise<DocumentBody> {
  const pieces = new TextPieces()
  const largeSignal = growth?.whenLarge.then((): 'large' => 'large')
  const endStream = registerStream()
  try {
    while (pieces.length <= Math.min(maxWholeCharacters, maxStreamChunkBytes())) {
      const next = chunks.next()
      const step = await (largeSignal ? Promise.race([next, largeSignal]) : next)
      if (step === 'large')
        return { kind: 'stream', chunks: closableChunks(remainingChunks(next), chunks) }
      if (step.done) return wholeOf(pieces)
      pieces.add(step.value)
    }
    await growth?.reserve()
    return { kind: 'stream', chunks: closableChunks(remainingChunks(undefined), chunks) }
  } catch (error) {
    await chunks.return(undefined)
    throw error
  } finally {
    endStream()
  }

  async function* remainingChunks(
    next: Promise<IteratorResult<Chunk>> | undefined,
  ): AsyncGenerator<Chunk> {
    try {
      // Frees the chunks that were sent, however long the rest takes.
      yield* pieces.take()
      for (let step = await (next ?? chunks.next()); !step.done; step = await chunks.next())
        yield step.value
    } catch (error) {
      // The response is partly sent, so the host closes the connection.
      if (!isClientAbort(error, context)) services.onError(error, context)
      throw error
    } finally {
      await chunks.return(undefined)
    }
  }
}

function wholeOf(pieces: TextPieces): WholeBody {
  const buffers = pieces.take()
  const [first] = buffers
  return typeof first === 'string'
    ? { kind: 'text', text: first }
    : { kind: 'buffers', buffers: buffers as Uint8Array[] }
}
