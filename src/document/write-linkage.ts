import type { Chunk } from '../http/chunk.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import type { DocumentContext } from './document-context.ts'
import type { IncludeCollector } from './include-collector.ts'
import { writeIncluded } from './write-included.ts'

/** Identifiers that are written at a time. */
export const identifiersPerChunk = 1_000

/** Writes a document of identifiers, whose items have not been read. */
export async function* writeLinkage(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  ids: readonly string[],
  collector: IncludeCollector | undefined,
): AsyncGenerator<Chunk> {
  const { serializer, model } = documentContext.endpoint
  const { separator } = serializer
  yield frame.open + (ids.length === 0 ? frame.emptyItems : '')
  for (let start = 0; start < ids.length; start += identifiersPerChunk) {
    const chunkIds = ids.slice(start, start + identifiersPerChunk)
    yield (start === 0 ? '' : separator) +
      chunkIds.map((id) => serializer.writeIdentifier(model, id, {})).join(separator)
  }
  yield frame.afterItems
  if (collector) yield* writeIncludedByIds(documentContext, frame, ids, collector)
  yield frame.close
}

async function* writeIncludedByIds(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  ids: readonly string[],
  collector: IncludeCollector,
): AsyncGenerator<Chunk> {
  const { services, endpoint, context } = documentContext
  const { model } = endpoint
  const guard = services.guards.readCondition(model, context)
  const store = storeForCaller(services.store, context)
  for await (const batch of fetchByIds(store, model, ids, guard)) await collector.add(batch)
  yield* writeIncluded(documentContext, frame, collector)
}
