import type { Context } from '../context/context.ts'
import type { Chunk } from '../http/chunk.ts'
import type { DocumentFrame, Serializer } from '../serializer/serializer.ts'
import type { DocumentServices } from './document-services.ts'
import { startedStream } from './started-stream.ts'

interface StreamContext {
  readonly services: DocumentServices
  readonly context: Context
  readonly endpoint: { readonly serializer: Serializer }
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
 * The text of a document, batch by batch, while the items are read. Its first chunk holds the first
 * items, or the whole text of an empty list, so that a store that fails before leads to an error
 * response: `startStream` waits for that chunk before the head is sent.
 */
export function frameBatches<Batch>(
  streamContext: StreamContext,
  frame: DocumentFrame,
  batches: AsyncIterable<Batch>,
  writer: BatchWriter<Batch>,
): AsyncIterable<Chunk> {
  const { separator } = streamContext.endpoint.serializer
  const iterator = batches[Symbol.asyncIterator]()
  return startedStream(streamContext, documentOf(frame, separator, iterator, writer), async () => {
    writer.onEnd?.()
    await iterator.return?.()
  })
}

async function* documentOf<Batch>(
  { open, emptyItems, afterItems, close }: DocumentFrame,
  separator: string,
  batches: AsyncIterator<Batch>,
  { writeItems, writeIncluded }: BatchWriter<Batch>,
): AsyncGenerator<Chunk> {
  let head = open
  let isEmpty = true
  for (let batch = await batches.next(); !batch.done; batch = await batches.next()) {
    yield* await writeItems(head, batch.value)
    head = separator
    isEmpty = false
  }
  const tail = (isEmpty ? head + emptyItems : '') + afterItems
  if (!writeIncluded) return yield tail + close
  yield tail
  yield* writeIncluded()
  yield close
}
