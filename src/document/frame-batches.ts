import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context/context.ts'
import type { Chunk } from '../http/chunk.ts'
import type { DocumentFrame, Serializer } from '../serializer/serializer.ts'
import type { RouterServices } from './router-services.ts'
import { startedStream } from './started-stream.ts'

interface StreamContext {
  readonly services: RouterServices
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
 * The text of a document, batch by batch, while the items are read. The promise waits for the first
 * batch, so that a store that fails at once leads to an error response. It does not wait long:
 * where the store has to search or sort first, the head is sent without it.
 */
export async function frameBatches<Batch>(
  streamContext: StreamContext,
  { open, emptyItems, afterItems, close }: DocumentFrame,
  batches: AsyncIterable<Batch>,
  { writeItems, writeIncluded, onEnd }: BatchWriter<Batch>,
): Promise<AsyncIterable<Chunk>> {
  const iterator = batches[Symbol.asyncIterator]()
  const firstBatch = iterator.next()
  const isSlow = await isSlowToStart(firstBatch)
  return startedStream(streamContext, chunks(), async () => {
    onEnd?.()
    await iterator.return?.()
  })

  async function* chunks(): AsyncGenerator<Chunk> {
    let head = open
    let isEmpty = true
    if (isSlow) {
      yield head
      head = ''
    }
    for (let batch = await firstBatch; !batch.done; batch = await iterator.next()) {
      yield* await writeItems(head, batch.value)
      head = streamContext.endpoint.serializer.separator
      isEmpty = false
    }
    const tail = (isEmpty ? head + emptyItems : '') + afterItems
    if (!writeIncluded) return yield tail + close
    yield tail
    yield* writeIncluded()
    yield close
  }
}

/** How long a list waits for its first batch before its head is sent, in milliseconds. */
const headDelayMs = 3

/**
 * Whether the store searches or sorts before it returns the first batch. A batch that fails at once
 * throws here.
 */
async function isSlowToStart(first: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const timeout = wait(headDelayMs, true, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([first.then(() => false), timeout])
  } finally {
    timer.abort()
  }
}
