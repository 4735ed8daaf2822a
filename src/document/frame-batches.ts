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
  /** @param head the text before the items: the start of the document, or the separator */
  writeItems(head: string, batch: Batch): readonly Chunk[] | Promise<readonly Chunk[]>
  /**
   * Writes the included items, after all primary items; undefined where the request includes none.
   */
  readonly writeIncluded: (() => AsyncIterable<Chunk>) | undefined
  /** Called when the document ends or is aborted, possibly more than once. */
  onEnd?(): void
}

/**
 * The text of a document, batch by batch, while the items are read. The promise waits for the first
 * batch, so that a store that fails at once leads to an error response. It does not wait long:
 * where the store has to search or sort first, the head is sent without it.
 */
export async function frameBatches<Batch>(
  { services, context, serializer }: StreamContext,
  { open, afterItems, close }: DocumentFrame,
  batches: AsyncIterable<Batch>,
  { writeItems, writeIncluded, onEnd }: BatchWriter<Batch>,
): Promise<AsyncIterable<Chunk>> {
  const iterator = batches[Symbol.asyncIterator]()
  const firstBatch = iterator.next()
  const isSlow = await isSlowToStart(firstBatch)
  return closableChunks(chunks(), iterator, onEnd)

  async function* chunks(): AsyncGenerator<Chunk> {
    let head = open
    let hasStarted = false
    try {
      if (isSlow) {
        hasStarted = true
        yield head
        head = ''
      }
      for (let batch = await firstBatch; !batch.done; batch = await iterator.next()) {
        const pieces = await writeItems(head, batch.value)
        hasStarted = true
        yield* pieces
        head = serializer.separator
      }
      const tail = (head === open ? head : '') + afterItems
      hasStarted = true
      if (!writeIncluded) return yield tail + close
      yield tail
      yield* writeIncluded()
      yield close
    } catch (error) {
      // If the response has started, the host closes the connection. Otherwise the error becomes
      // the response.
      if (hasStarted && !isClientAbort(error, context)) services.onError(error, context)
      throw error
    } finally {
      onEnd?.()
      await iterator.return?.()
    }
  }
}
