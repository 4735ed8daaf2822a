import { maxStreamChunkBytes, registerStream } from '../concurrency/stream-budget.ts'
import type { Context } from '../context/context.ts'
import type { Chunk } from '../http/chunk.ts'
import type { DocumentServices } from './document-services.ts'
import { startedStream } from './started-stream.ts'
import { TextPieces } from './text-pieces.ts'

/** A document: as a whole, or as a stream that has started, where it is long. */
export type DocumentBody =
  | WholeBody
  | { readonly kind: 'stream'; readonly chunks: AsyncIterable<Chunk> }

export type WholeBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'buffers'; readonly buffers: readonly Uint8Array[] }

/** Lets a document that becomes large begin its response early. */
export interface LargeDocument {
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
 * @param start chunks that are known already, before the others
 */
export async function wholeOrStream(
  streamContext: { readonly services: DocumentServices; readonly context: Context },
  chunks: AsyncGenerator<Chunk>,
  growth?: LargeDocument,
  start: readonly Chunk[] = [],
): Promise<DocumentBody> {
  const pieces = new TextPieces()
  for (const chunk of start) pieces.add(chunk)
  const whenLarge = growth?.whenLarge.then((): 'large' => 'large')
  const endStream = registerStream()
  try {
    while (pieces.length <= Math.min(maxWholeCharacters, maxStreamChunkBytes())) {
      const next = chunks.next()
      const step = await (whenLarge ? Promise.race([next, whenLarge]) : next)
      if (step === 'large') return streamFrom(next)
      if (step.done) return wholeBody(pieces)
      pieces.add(step.value)
    }
    await growth?.reserve()
    return streamFrom(undefined)
  } catch (error) {
    await chunks.return(undefined)
    throw error
  } finally {
    endStream()
  }

  function streamFrom(next: Promise<IteratorResult<Chunk>> | undefined): DocumentBody {
    const stopReading = () => chunks.return(undefined)
    return {
      kind: 'stream',
      chunks: startedStream(streamContext, remainingChunks(pieces, next, chunks), stopReading),
    }
  }
}

async function* remainingChunks(
  pieces: TextPieces,
  next: Promise<IteratorResult<Chunk>> | undefined,
  chunks: AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk> {
  // Frees the chunks that were sent, however long the rest takes.
  yield* pieces.take()
  for (let step = await (next ?? chunks.next()); !step.done; step = await chunks.next())
    yield step.value
}

/** A document whose chunks are all known. */
export function wholeDocument(chunks: readonly Chunk[]): WholeBody {
  const pieces = new TextPieces()
  for (const chunk of chunks) pieces.add(chunk)
  return wholeBody(pieces)
}

function wholeBody(pieces: TextPieces): WholeBody {
  const buffers = pieces.take()
  const [first] = buffers
  return typeof first === 'string'
    ? { kind: 'text', text: first }
    : { kind: 'buffers', buffers: buffers as Uint8Array[] }
}
