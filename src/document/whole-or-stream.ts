import { maxStreamChunkBytes, registerStream } from '../concurrency/stream-budget.ts'
import { isClientAbort } from '../context/client-abort.ts'
import type { Context } from '../context/context.ts'
import type { RouterServices } from './router-services.ts'
import { TextPieces } from './text-pieces.ts'

type Chunk = string | Uint8Array

/** A document: as a whole, or, where it is long, as a stream that has begun. */
export type DocumentBody =
  | WholeBody
  | { readonly kind: 'stream'; readonly chunks: AsyncGenerator<Chunk> }

export type WholeBody =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parts'; readonly buffers: readonly Uint8Array[] }

/** Characters of a document that is held as a whole, where there are few of them. */
const maxWholeCharacters = 1_048_576

/**
 * Puts the chunks together, as long as the document is short: only a whole one can have a tag that
 * tells what is in it. A long one is sent while it is written, and how long that is depends on how
 * many there are at the time.
 * @param isLarge settles as soon as it is known that there is too much to wait for
 */
export async function wholeOrStream(
  { services, context }: { readonly services: RouterServices; readonly context: Context },
  chunks: AsyncGenerator<Chunk>,
  isLarge: Promise<unknown> | undefined,
): Promise<DocumentBody> {
  const begun = new TextPieces()
  const large = isLarge?.then((): 'large' => 'large')
  const endStream = registerStream()
  try {
    while (begun.length <= Math.min(maxWholeCharacters, maxStreamChunkBytes())) {
      const next = chunks.next()
      const step = await (large ? Promise.race([next, large]) : next)
      if (step === 'large') return { kind: 'stream', chunks: resumed(next) }
      if (step.done) return wholeOf(begun)
      begun.add(step.value)
    }
    return { kind: 'stream', chunks: resumed(undefined) }
  } finally {
    endStream()
  }

  async function* resumed(next: Promise<IteratorResult<Chunk>> | undefined): AsyncGenerator<Chunk> {
    try {
      // What a reader has got is not kept for as long as it reads the rest.
      yield* begun.take()
      for (let step = await (next ?? chunks.next()); !step.done; step = await chunks.next())
        yield step.value
    } catch (error) {
      // The answer is under way: the host breaks it off.
      if (!isClientAbort(error, context)) services.onError(error, context)
      throw error
    } finally {
      await chunks.return(undefined)
    }
  }
}

function wholeOf(pieces: TextPieces): WholeBody {
  const taken = pieces.take()
  const [first] = taken
  return typeof first === 'string'
    ? { kind: 'text', text: first }
    : { kind: 'parts', buffers: taken as Uint8Array[] }
}
