import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type {
  CollectedLinkage,
  ItemAnnotations,
  OutgoingItem,
} from '../serializer/outgoing-item.ts'
import type { DocumentFacts, DocumentFrame, Serializer } from '../serializer/serializer.ts'
import { freeItems } from '../store/owned-items.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { chunkBatches, chunkItems } from './chunk-items.ts'
import { DocumentBudget, documentBudgetOf } from './document-budget.ts'
import { frameBatches } from './frame-batches.ts'
import { type IncludeCollector, type IncludeStart, includeCollector } from './include-collector.ts'
import type { RawLineWriter } from './raw-line-writer.ts'
import type { Representer } from './represent.ts'
import type { RouterServices } from './router-services.ts'
import type { Chunk } from './started-stream.ts'
import { TextPieces } from './text-pieces.ts'
import { type DocumentBody, wholeOrStream } from './whole-or-stream.ts'

/** What registration decides about the documents of a rule. */
export interface DocumentEndpoint {
  readonly serializer: Serializer
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  readonly rawLineWriter: RawLineWriter
  readonly model: ModelDescription
}

/** What all writers of a document need. */
export interface DocumentContext {
  readonly services: RouterServices
  readonly endpoint: DocumentEndpoint
  readonly selection: Selection
  readonly context: Context
  readonly facts: DocumentFacts
}

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
  return wholeOrStream(documentContext, chunks(), collector)

  async function* chunks(): AsyncGenerator<Chunk> {
    try {
      yield frame.open
      let separatorBefore: string | undefined
      for await (const batch of batches) {
        for (const items of chunkItems(batch)) {
          await collector?.add(items)
          yield* await writePrimary(
            documentContext,
            separatorBefore ?? '',
            items,
            collector,
            cursors,
          )
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
}

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

/** Writes a document whose primary items are read while it is sent. */
export function streamDocument(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<readonly StoredItem[]>,
): Promise<AsyncIterable<Chunk>> {
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

/** The collector of what the request includes, with the share of the whole document. */
export function collectorOf(
  { services, endpoint, selection, context, facts }: DocumentContext,
  budget: DocumentBudget,
): IncludeCollector | undefined {
  const { serializer, model } = endpoint
  const { include } = selection
  if (!include) return undefined
  const start: IncludeStart =
    facts.content === 'items'
      ? { model, tree: include, pathPrefix: '', primary: 'items' }
      : linkageStart(model, include)
  return includeCollector(services, start, serializer.linkage, context, budget)
}

/** The include paths of a relationship begin with the relation itself. */
function linkageStart(model: ModelDescription, [first]: readonly IncludeNode[]): IncludeStart {
  return first
    ? {
        model,
        tree: first.children,
        pathPrefix: `${first.relation.wireName}.`,
        primary: 'identifiers',
      }
    : { model, tree: [], pathPrefix: '', primary: 'items' }
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

async function* writeIncluded(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  collector: IncludeCollector,
): AsyncGenerator<Chunk> {
  yield frame.includedOpen
  let separatorBefore = ''
  for (const { model, batches } of await collector.readGroups()) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.areGroupsJoined) separatorBefore = ''
    for await (const batch of chunkBatches(batches)) {
      yield* await itemPieces(
        documentContext,
        model,
        separatorBefore,
        batch,
        collector.collectedLinkage,
      )
      separatorBefore = documentContext.endpoint.serializer.separator
    }
    yield close
  }
  yield frame.includedClose
}

/** The head, and the items after it, encoded where they are long. The items are freed. */
export async function itemPieces(
  documentContext: DocumentContext,
  model: ModelDescription,
  head: string,
  items: readonly StoredItem[],
  collectedLinkage: CollectedLinkage | undefined,
  cursors?: CursorsById,
): Promise<readonly Chunk[]> {
  const pieces = new TextPieces(head)
  const texts = textsOf(documentContext, model, items, collectedLinkage, cursors)
  for (const text of texts instanceof Promise ? await texts : texts) pieces.add(text)
  freeItems(items)
  return pieces.take()
}

/** One item as a part of a document. */
export async function itemText(
  documentContext: DocumentContext,
  item: StoredItem,
): Promise<string> {
  const [text] = await textsOf(documentContext, documentContext.endpoint.model, [item], undefined)
  return text!
}

/** Items as parts of a document, with separators between them. */
function textsOf(
  documentContext: DocumentContext,
  model: ModelDescription,
  items: readonly StoredItem[],
  collectedLinkage: CollectedLinkage | undefined,
  cursors?: CursorsById,
): Iterable<string> | Promise<Iterable<string>> {
  const { endpoint, context, selection } = documentContext
  const { isSentAsStored, represent } = endpoint.representers.get(model)!
  const sharedAnnotations: ItemAnnotations = { collectedLinkage }
  const annotationsOf: AnnotationsOf = ({ id }) =>
    cursors ? { ...sharedAnnotations, cursor: cursors.get(id) } : sharedAnnotations
  if (isSentAsStored(selection.fields))
    return writeItems(documentContext, model, toOutgoing(items), annotationsOf)
  return represent(items, context, selection.fields).then((outgoing) =>
    writeItems(documentContext, model, outgoing, annotationsOf),
  )
}

type CursorsById = ReadonlyMap<string, string>
type AnnotationsOf = (item: { readonly id: string }) => ItemAnnotations

function* toOutgoing(items: readonly StoredItem[]): Generator<OutgoingItem> {
  for (const item of items) yield { kind: 'stored', item }
}

function* writeItems(
  { endpoint: { serializer }, facts }: DocumentContext,
  model: ModelDescription,
  items: Iterable<OutgoingItem>,
  annotationsOf: AnnotationsOf,
): Generator<string> {
  const { separator } = serializer
  let separatorBefore = ''
  for (const item of items) {
    yield separatorBefore +
      serializer.writeItem(
        model,
        item,
        facts.urlPrefix,
        annotationsOf(item.kind === 'stored' ? item.item : item),
      )
    separatorBefore = separator
  }
}
