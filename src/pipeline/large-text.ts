import { ownBytes } from '../cache/owned-bytes.ts'
import type { Context } from '../context/context.ts'
import { openStream, streamShare } from '../store/open-streams.ts'
import { hasLeft } from './fail.ts'
import type { Parts } from './parts.ts'

/** A document: as a whole, or, where it is long, as a stream that has begun. */
export type WrittenText = WholeText | { readonly kind: 'stream'; readonly chunks: AsyncGenerator<string | Uint8Array> }

export type WholeText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'parts'; readonly parts: readonly Uint8Array[] }

/** Characters of a document that is held as a whole, where there are few of them. */
const longestWhole = 1_048_576

/** Characters that are held as a text; more of them are encoded at once, for the engine collects long texts late. */
const longestText = 32_768

/**
 * Puts the chunks together, as long as the document is short: only a whole one can have a tag that tells what is in it. A long one is sent while it is
 * written, and how long that is depends on how many there are at the time.
 * @param isLarge settles as soon as it is known that there is too much to wait for
 */
export async function wholeOrStreamed(
  { parts, context }: { readonly parts: Parts; readonly context: Context },
  chunks: AsyncGenerator<string>,
  isLarge: Promise<unknown> | undefined,
): Promise<WrittenText> {
  const begun: Uint8Array[] = []
  let text = ''
  let length = 0
  const large = isLarge?.then((): 'large' => 'large')
  const endStream = openStream()
  try {
    while (length <= Math.min(longestWhole, streamShare())) {
      const next = chunks.next()
      const step = await (large ? Promise.race([next, large]) : next)
      if (step === 'large') return { kind: 'stream', chunks: resumed(next) }
      if (step.done) return begun.length === 0 ? { kind: 'text', text } : { kind: 'parts', parts: pieces() }
      text += step.value
      length += step.value.length
      if (text.length > longestText) encode()
    }
    return { kind: 'stream', chunks: resumed(undefined) }
  } finally {
    endStream()
  }

  function encode(): void {
    begun.push(ownBytes(Buffer.from(text)))
    text = ''
  }

  function pieces(): Uint8Array[] {
    if (text !== '') encode()
    // What a reader has got is not kept for as long as it reads the rest.
    return begun.splice(0)
  }

  async function* resumed(next: Promise<IteratorResult<string>> | undefined): AsyncGenerator<string | Uint8Array> {
    try {
      yield* pieces()
      for (let step = await (next ?? chunks.next()); !step.done; step = await chunks.next()) yield step.value
    } catch (error) {
      // The answer is under way: the host breaks it off.
      if (!hasLeft(error, context)) parts.report(error, context)
      throw error
    } finally {
      await chunks.return(undefined)
    }
  }
}
