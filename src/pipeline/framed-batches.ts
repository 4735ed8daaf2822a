import type { Context } from '../context/context.ts'
import type { ListFrame, Serializer } from '../serializer/serializer.ts'
import { hasLeft } from './fail.ts'
import { isLate, opened } from './first-batch.ts'
import type { Parts } from './parts.ts'

type Chunk = string | Uint8Array

interface Answered {
  readonly parts: Parts
  readonly context: Context
  readonly serializer: Serializer
}

export interface BatchWriter<Batch> {
  /** @param head what stands before the items: how the document begins, or what stands between its items */
  items(head: string, batch: Batch): readonly Chunk[] | Promise<readonly Chunk[]>
  /** What follows the items, once they all were written; undefined where nothing does. */
  readonly included: (() => AsyncIterable<Chunk>) | undefined
  /** Called when the document ends, or is given up; maybe more than once. */
  ended?(): void
}

/**
 * The text of a document, batch by batch, while the items are read. The first batch is waited for before the promise settles, so that a store that fails
 * at once is answered with an error; but only for so long, so that the head goes out where the store has to search or sort first.
 */
export async function framedBatches<Batch>(
  { parts, context, serializer }: Answered,
  { open, afterItems, close }: ListFrame,
  batches: AsyncIterable<Batch>,
  { items, included, ended }: BatchWriter<Batch>,
): Promise<AsyncIterable<Chunk>> {
  const reading = batches[Symbol.asyncIterator]()
  const first = reading.next()
  const isSlow = await isLate(first)
  return opened(chunks(), reading, ended)

  async function* chunks(): AsyncGenerator<Chunk> {
    let head = open
    let isUnderWay = false
    try {
      if (isSlow) {
        isUnderWay = true
        yield head
        head = ''
      }
      for (let batch = await first; !batch.done; batch = await reading.next()) {
        const texts = await items(head, batch.value)
        isUnderWay = true
        yield* texts
        head = serializer.between
      }
      const end = (head === open ? head : '') + afterItems
      isUnderWay = true
      if (!included) return yield end + close
      yield end
      yield* included()
      yield close
    } catch (error) {
      // An answer that is under way is broken off by the host; any other is still answered with the error.
      if (isUnderWay && !hasLeft(error, context)) parts.report(error, context)
      throw error
    } finally {
      ended?.()
      await reading.return?.()
    }
  }
}
