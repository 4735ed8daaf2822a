import { isClientAbort } from '../context/client-abort.ts'
import type { Context } from '../context/context.ts'
import type { DocumentFrame, Serializer } from '../serializer/serializer.ts'
import { closableChunks, isSlowToStart } from './first-batch.ts'
import type { RouterServices } from './router-services.ts'

type Chunk = string | Uint8Array

interface StreamContext {
  readonly services: RouterServices
  readonly context: Context
  readonly serializer: Serializer
}

export interface BatchWriter<Batch> {
  /**
   * @param head what stands before the items: how the document begins, or what stands between its
   * items
   */
  writeItems(head: string, batch: Batch): readonly Chunk[] | Promise<readonly Chunk[]>
  /** What follows the items, once they all were written; undefined where nothing does. */
  readonly writeIncluded: (() => AsyncIterable<Chunk>) | undefined
  /** Called when the document ends, or is given up; maybe more than once. */
  onEnd?(): void
}

/**
 * The text of a document, batch by batch, while the items are read. The first batch is waited for
 * before the promise settles, so that a store that fails at once is answered with an error; but
 * only for so long, so that the head goes out where the store has to search or sort first.
 */
export async function frameBatches<Batch>(
  { services, context, serializer }: StreamContext,
  { open, afterItems, close }: DocumentFrame,
  batches: AsyncIterable<Batch>,
  { writeItems, writeIncluded, onEnd }: BatchWriter<Batch>,
): Promise<AsyncIterable<Chunk>> {
  const reading = batches[Symbol.asyncIterator]()
  const first = reading.next()
  const isSlow = await isSlowToStart(first)
  return closableChunks(chunks(), reading, onEnd)

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
        const texts = await writeItems(head, batch.value)
        isUnderWay = true
        yield* texts
        head = serializer.separator
      }
      const end = (head === open ? head : '') + afterItems
      isUnderWay = true
      if (!writeIncluded) return yield end + close
      yield end
      yield* writeIncluded()
      yield close
    } catch (error) {
      // An answer that is under way is broken off by the host; any other is still answered with the
      // error.
      if (isUnderWay && !isClientAbort(error, context)) services.onError(error, context)
      throw error
    } finally {
      onEnd?.()
      await reading.return?.()
    }
  }
}
