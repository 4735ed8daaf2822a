import type { Chunk } from '../http/chunk.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type {
  CollectedLinkage,
  ItemAnnotations,
  OutgoingItem,
} from '../serializer/outgoing-item.ts'
import { freeItems } from '../store/owned-items.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { DocumentContext } from './document-context.ts'
import { TextPieces } from './text-pieces.ts'

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
  const members = selection.fields.get(model.plural)
  const sharedAnnotations: ItemAnnotations = { collectedLinkage, members }
  const annotationsOf: AnnotationsOf = ({ id }) =>
    cursors ? { collectedLinkage, members, cursor: cursors.get(id) } : sharedAnnotations
  if (isSentAsStored(selection.fields))
    return writeItems(documentContext, model, toOutgoing(items), annotationsOf)
  return represent(items, context, selection.fields).then((outgoing) =>
    writeItems(documentContext, model, outgoing, annotationsOf),
  )
}

export type CursorsById = ReadonlyMap<string, string>
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
