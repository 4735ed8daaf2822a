import type { Context } from '../context/context.ts'
import { hasLeft } from './fail.ts'
import type { Parts } from './parts.ts'

/** The text of a document: as a whole, or, where it is long, as a stream that has begun. */
export type WrittenText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'stream'; readonly chunks: AsyncGenerator<string> }

/** Characters of a text that is held as a whole. */
const longestWhole = 1_048_576

/**
 * Puts the chunks together, as long as the text is short: only a whole text can have a tag that tells what is in it. A long one is sent while it is
 * written.
 * @param isLarge settles as soon as it is known that there is too much to wait for
 */
export async function wholeOrStreamed(
  { parts, context }: { readonly parts: Parts; readonly context: Context },
  chunks: AsyncGenerator<string>,
  isLarge: Promise<unknown> | undefined,
): Promise<WrittenText> {
  let text = ''
  const large = isLarge?.then((): 'large' => 'large')
  while (text.length <= longestWhole) {
    const next = chunks.next()
    const step = await (large ? Promise.race([next, large]) : next)
    if (step === 'large') return { kind: 'stream', chunks: resumed(next) }
    if (step.done) return { kind: 'text', text }
    text += step.value
  }
  return { kind: 'stream', chunks: resumed(undefined) }

  async function* resumed(next: Promise<IteratorResult<string>> | undefined): AsyncGenerator<string> {
    try {
      const begun = text
      // What a reader has got is not kept for as long as it reads the rest.
      text = ''
      yield begun
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
