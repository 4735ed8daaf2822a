import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import type { SerializedPageReader } from '../operation/operation-input.ts'
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
import { frameBatches } from './frame-batches.ts'
import { type IncludeCollector, type IncludeStart, includeCollector } from './include-collector.ts'
import type { Representer } from './represent.ts'
import type { RouterServices } from './router-services.ts'
import { TextPieces } from './text-pieces.ts'
import { type DocumentBody, wholeOrStream } from './whole-or-stream.ts'

/** What all writers of a document need. */
export interface DocumentContext {
  readonly services: RouterServices
  readonly serializer: Serializer
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  readonly readPage: SerializedPageReader
  readonly model: ModelDescription
  readonly selection: Selection
  readonly context: Context
  readonly facts: DocumentFacts
}

/**
 * The text of a document whose primary items are at hand, or are read while it is written where
 * they are large.
 * @param cursors of the items, by their ids, where the document tells them
 */
export function writeDocument(
  writing: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<readonly StoredItem[]> | Iterable<readonly StoredItem[]>,
  cursors?: CursorsById,
): Promise<DocumentBody> {
  const gather = collectorOf(writing)
  return wholeOrStream(writing, chunks(), gather?.whenLarge)

  async function* chunks(): AsyncGenerator<Chunk> {
    try {
      yield frame.open
      let before: string | undefined
      for await (const batch of batches) {
        for (const items of chunkItems(batch)) {
          await gather?.add(items)
          yield* await writePrimary(writing, before ?? '', items, gather, cursors)
          before = writing.serializer.separator
        }
      }
      yield (before === undefined ? frame.emptyItems : '') + frame.afterItems
      if (gather) yield* writeIncluded(writing, frame, gather)
      yield frame.close
    } finally {
      gather?.close()
    }
  }
}

/** So many identifiers make one part of a text. */
export const identifiersPerChunk = 1_000

/**
 * The text, in parts, of a document that names its primary items, of which no more than the
 * identifiers is known.
 */
export async function* writeLinkage(
  writing: DocumentContext,
  frame: DocumentFrame,
  ids: readonly string[],
): AsyncGenerator<Chunk> {
  const { serializer, model } = writing
  const gather = collectorOf(writing)
  const { separator } = serializer
  yield frame.open + (ids.length === 0 ? frame.emptyItems : '')
  for (let start = 0; start < ids.length; start += identifiersPerChunk) {
    const some = ids.slice(start, start + identifiersPerChunk)
    yield (start === 0 ? '' : separator) +
      some.map((id) => serializer.writeIdentifier(model, id, {})).join(separator)
  }
  yield frame.afterItems
  if (gather) yield* writeIncludedByIds(writing, frame, ids, gather)
  yield frame.close
}

async function* writeIncludedByIds(
  writing: DocumentContext,
  frame: DocumentFrame,
  ids: readonly string[],
  gather: IncludeCollector,
): AsyncGenerator<Chunk> {
  const { services, model, context } = writing
  try {
    const guard = services.guards.readCondition(model, context)
    for await (const batch of fetchByIds(
      storeForCaller(services.store, context),
      model,
      ids,
      guard,
    ))
      await gather.add(batch)
    yield* writeIncluded(writing, frame, gather)
  } finally {
    gather.close()
  }
}

/** The text of a document whose primary items are written one by one while they are read. */
export function streamDocument(
  writing: DocumentContext,
  frame: DocumentFrame,
  batches: AsyncIterable<readonly StoredItem[]>,
): Promise<AsyncIterable<string | Uint8Array>> {
  const gather = collectorOf(writing)
  return frameBatches(writing, frame, chunkBatches(batches), {
    writeItems: async (head, batch) => {
      await gather?.add(batch)
      return writePrimary(writing, head, batch, gather)
    },
    writeIncluded: gather && (() => writeIncluded(writing, frame, gather)),
    onEnd: () => gather?.close(),
  })
}

function collectorOf({
  services,
  serializer,
  model,
  selection,
  context,
  facts,
}: DocumentContext): IncludeCollector | undefined {
  const { include } = selection
  if (!include) return undefined
  const start: IncludeStart =
    facts.content === 'items'
      ? { model, tree: include, pathPrefix: '', primary: 'sent' }
      : linkageStart(model, include)
  return includeCollector(services, start, serializer.linkage, context)
}

/** The paths of a relationship begin with the relation itself. */
function linkageStart(model: ModelDescription, [first]: readonly IncludeNode[]): IncludeStart {
  return first
    ? { model, tree: first.children, pathPrefix: `${first.relation.wireName}.`, primary: 'linked' }
    : { model, tree: [], pathPrefix: '', primary: 'sent' }
}

/** What stands before the items, and these. */
async function writePrimary(
  writing: DocumentContext,
  head: string,
  items: readonly StoredItem[],
  gather: IncludeCollector | undefined,
  cursors?: CursorsById,
): Promise<readonly Chunk[]> {
  const { serializer, model, facts } = writing
  if (facts.content === 'items')
    return itemPieces(writing, model, head, items, gather?.collectedLinkage, cursors)
  const identifiers = items.map(({ id }) =>
    serializer.writeIdentifier(model, id, { cursor: cursors?.get(id) }),
  )
  return [head + identifiers.join(serializer.separator)]
}

async function* writeIncluded(
  writing: DocumentContext,
  frame: DocumentFrame,
  gather: IncludeCollector,
): AsyncGenerator<Chunk> {
  yield frame.includedOpen
  let before = ''
  for (const { model, batches } of await gather.readGroups()) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.areGroupsJoined) before = ''
    for await (const batch of chunkBatches(batches)) {
      yield* await itemPieces(writing, model, before, batch, gather.collectedLinkage)
      before = writing.serializer.separator
    }
    yield close
  }
  yield frame.includedClose
}

/**
 * What stands before the items, and these, encoded where they are long. The batch is of no further
 * use.
 */
export async function itemPieces(
  writing: DocumentContext,
  model: ModelDescription,
  head: string,
  items: readonly StoredItem[],
  linked: CollectedLinkage | undefined,
  cursors?: CursorsById,
): Promise<readonly Chunk[]> {
  const pieces = new TextPieces(head)
  const texts = textsOf(writing, model, items, linked, cursors)
  for (const text of texts instanceof Promise ? await texts : texts) pieces.add(text)
  freeItems(items)
  return pieces.take()
}

/** An item as it stands in a document. */
export async function itemText(writing: DocumentContext, item: StoredItem): Promise<string> {
  const [text] = await textsOf(writing, writing.model, [item], undefined)
  return text!
}

/** Items as they stand in a document, with what stands between them. */
function textsOf(
  writing: DocumentContext,
  model: ModelDescription,
  items: readonly StoredItem[],
  linked: CollectedLinkage | undefined,
  cursors?: CursorsById,
): Iterable<string> | Promise<Iterable<string>> {
  const { representers, context, selection } = writing
  const { isSentAsStored, represent } = representers.get(model)!
  const shared: ItemAnnotations = { collectedLinkage: linked }
  const remarks: AnnotationsOf = ({ id }) =>
    cursors ? { ...shared, cursor: cursors.get(id) } : shared
  if (isSentAsStored(selection.fields)) return written(writing, model, stored(items), remarks)
  return represent(items, context, selection.fields).then((outgoing) =>
    written(writing, model, outgoing, remarks),
  )
}

type Chunk = string | Uint8Array
type CursorsById = ReadonlyMap<string, string>
type AnnotationsOf = (item: { readonly id: string }) => ItemAnnotations

function* stored(items: readonly StoredItem[]): Generator<OutgoingItem> {
  for (const item of items) yield { kind: 'stored', item }
}

function* written(
  { serializer, facts }: DocumentContext,
  model: ModelDescription,
  items: Iterable<OutgoingItem>,
  remarks: AnnotationsOf,
): Generator<string> {
  const { separator } = serializer
  let before = ''
  for (const one of items) {
    yield before +
      serializer.writeItem(
        model,
        one,
        facts.urlPrefix,
        remarks(one.kind === 'stored' ? one.item : one),
      )
    before = separator
  }
}
