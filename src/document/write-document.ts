import type { Chunk } from '../http/chunk.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { chunkBatches, chunkItems } from './chunk-items.ts'
import { DocumentBudget, documentBudgetOf } from './document-budget.ts'
import type { DocumentContext } from './document-context.ts'
import { frameBatches } from './frame-batches.ts'
import type { IncludeCollector } from './include-collector.ts'
import { type DocumentBody, wholeOrStream } from './whole-or-stream.ts'
import { collectorOf, writeIncluded } from './write-included.ts'
import { type CursorsById, itemPieces } from './write-items.ts'

/**
 * Writes a document whose primary items are read already, or are read while it is written, where
 * they are large.
 * @param cursors the cursors of the items by id, where the document shows them
 */
export function writeDocument(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<readonly StoredItem[]> | Iterable<readonly StoredItem[]>,
  cursors?: CursorsById,
): Promise<DocumentBody> {
  const budget = openBudget(documentContext)
  const collector = collectorOf(documentContext, budget)
  const chunks = documentOf(documentContext, frame, batches, cursors, budget, collector)
  return wholeOrStream(documentContext, chunks, collector)
}

async function* documentOf(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<readonly StoredItem[]> | Iterable<readonly StoredItem[]>,
  cursors: CursorsById | undefined,
  budget: DocumentBudget,
  collector: IncludeCollector | undefined,
): AsyncGenerator<Chunk> {
  try {
    yield frame.open
    let separatorBefore: string | undefined
    for await (const batch of batches) {
      for (const items of chunkItems(batch)) {
        await collector?.add(items)
        const head = separatorBefore ?? ''
        yield* await writePrimary(documentContext, head, items, collector, cursors)
        separatorBefore = documentContext.endpoint.serializer.separator
      }
    }
    yield (separatorBefore === undefined ? frame.emptyItems : '') + frame.afterItems
    if (collector) yield* writeIncluded(documentContext, frame, collector)
    yield frame.close
  } finally {
    budget.close()
  }
}

/** Writes a document whose primary items are read while it is sent. */
export function streamDocument(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<readonly StoredItem[]>,
): AsyncIterable<Chunk> {
  const budget = openBudget(documentContext)
  const collector = collectorOf(documentContext, budget)
  return frameBatches(documentContext, frame, chunkBatches(batches), {
    writeItems: async (head, batch) => {
      await collector?.add(batch)
      return writePrimary(documentContext, head, batch, collector)
    },
    writeIncluded: collector && (() => writeIncluded(documentContext, frame, collector)),
    onEnd: () => budget.close(),
  })
}

function openBudget({ services, context }: DocumentContext): DocumentBudget {
  return new DocumentBudget(documentBudgetOf(services), context)
}

/** The head, and the items after it. */
async function writePrimary(
  documentContext: DocumentContext,
  head: string,
  items: readonly StoredItem[],
  collector: IncludeCollector | undefined,
  cursors?: CursorsById,
): Promise<readonly Chunk[]> {
  const { endpoint, facts } = documentContext
  const { serializer, model } = endpoint
  if (facts.content === 'items')
    return itemPieces(documentContext, model, head, items, collector?.collectedLinkage, cursors)
  const identifiers = items.map(({ id }) =>
    serializer.writeIdentifier(model, id, { cursor: cursors?.get(id) }),
  )
  return [head + identifiers.join(serializer.separator)]
}
