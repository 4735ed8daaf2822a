import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import type { WrittenPages } from '../operation/job.ts'
import type { IncludeNode, Selection } from '../rule/selection.ts'
import type { Linked, Outgoing, Remarks } from '../serializer/outgoing.ts'
import type { DocumentFacts, ListFrame, Serializer } from '../serializer/serializer.ts'
import { onBehalf } from '../store/on-behalf.ts'
import { freeItems } from '../store/owned-items.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { framedBatches } from './framed-batches.ts'
import { type Gatherer, gatherer, type Start } from './include.ts'
import { type WrittenText, wholeOrStreamed } from './large-text.ts'
import type { Parts } from './parts.ts'
import type { Representer } from './represent.ts'
import { inSlices, slicesOf } from './slices-of-items.ts'
import { TextPieces } from './text-pieces.ts'

/** What all writers of a document need. */
export interface Writing {
  readonly parts: Parts
  readonly serializer: Serializer
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  readonly pages: WrittenPages
  readonly model: ModelDescription
  readonly selection: Selection
  readonly context: Context
  readonly facts: DocumentFacts
}

/**
 * The text of a document whose primary items are at hand, or are read while it is written where they are large.
 * @param cursors of the items, by their ids, where the document tells them
 */
export function documentText(
  writing: Writing,
  frame: ListFrame,
  batches: AsyncIterable<readonly StoredItem[]> | Iterable<readonly StoredItem[]>,
  cursors?: Cursors,
): Promise<WrittenText> {
  const gather = gathererOf(writing)
  return wholeOrStreamed(writing, chunks(), gather?.isLarge)

  async function* chunks(): AsyncGenerator<Chunk> {
    try {
      yield frame.open
      let before: string | undefined
      for await (const batch of batches) {
        for (const items of inSlices(batch)) {
          await gather?.add(items)
          yield* await primaryTexts(writing, before ?? '', items, gather, cursors)
          before = writing.serializer.between
        }
      }
      yield (before === undefined ? frame.nothing : '') + frame.afterItems
      if (gather) yield* includedTexts(writing, frame, gather)
      yield frame.close
    } finally {
      gather?.close()
    }
  }
}

/** So many identifiers make one part of a text. */
export const identifiersAtOnce = 1_000

/** The text, in parts, of a document that names its primary items, of which no more than the identifiers is known. */
export async function* linkageChunks(
  writing: Writing,
  frame: ListFrame,
  ids: readonly string[],
): AsyncGenerator<Chunk> {
  const { serializer, model } = writing
  const gather = gathererOf(writing)
  const { between } = serializer
  yield frame.open + (ids.length === 0 ? frame.nothing : '')
  for (let start = 0; start < ids.length; start += identifiersAtOnce) {
    const some = ids.slice(start, start + identifiersAtOnce)
    yield (start === 0 ? '' : between) + some.map((id) => serializer.identifier(model, id, {})).join(between)
  }
  yield frame.afterItems
  if (gather) yield* includedByIds(writing, frame, ids, gather)
  yield frame.close
}

async function* includedByIds(
  writing: Writing,
  frame: ListFrame,
  ids: readonly string[],
  gather: Gatherer,
): AsyncGenerator<Chunk> {
  const { parts, model, context } = writing
  try {
    const guard = parts.guards.condition(model, context)
    for await (const batch of fetchByIds(onBehalf(parts.store, context), model, ids, guard)) await gather.add(batch)
    yield* includedTexts(writing, frame, gather)
  } finally {
    gather.close()
  }
}

/** The text of a document whose primary items are written one by one while they are read. */
export function documentChunks(
  writing: Writing,
  frame: ListFrame,
  batches: AsyncIterable<readonly StoredItem[]>,
): Promise<AsyncIterable<string | Uint8Array>> {
  const gather = gathererOf(writing)
  return framedBatches(writing, frame, slicesOf(batches), {
    items: async (head, batch) => {
      await gather?.add(batch)
      return primaryTexts(writing, head, batch, gather)
    },
    included: gather && (() => includedTexts(writing, frame, gather)),
    ended: () => gather?.close(),
  })
}

function gathererOf({ parts, serializer, model, selection, context, facts }: Writing): Gatherer | undefined {
  const { include } = selection
  if (!include) return undefined
  const start: Start =
    facts.holds === 'items' ? { model, tree: include, path: '', primary: 'sent' } : linkedStart(model, include)
  return gatherer(parts, start, serializer.linkage, context)
}

/** The paths of a relationship begin with the relation itself. */
function linkedStart(model: ModelDescription, [first]: readonly IncludeNode[]): Start {
  return first
    ? { model, tree: first.children, path: `${first.relation.wire}.`, primary: 'linked' }
    : { model, tree: [], path: '', primary: 'sent' }
}

/** What stands before the items, and these. */
async function primaryTexts(
  writing: Writing,
  head: string,
  items: readonly StoredItem[],
  gather: Gatherer | undefined,
  cursors?: Cursors,
): Promise<readonly Chunk[]> {
  const { serializer, model, facts } = writing
  if (facts.holds === 'items') return itemPieces(writing, model, head, items, gather?.linked, cursors)
  const identifiers = items.map(({ id }) => serializer.identifier(model, id, { cursor: cursors?.get(id) }))
  return [head + identifiers.join(serializer.between)]
}

async function* includedTexts(writing: Writing, frame: ListFrame, gather: Gatherer): AsyncGenerator<Chunk> {
  yield frame.includedOpen
  let before = ''
  for (const { model, batches } of await gather.groups()) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.groupsJoined) before = ''
    for await (const batch of slicesOf(batches)) {
      yield* await itemPieces(writing, model, before, batch, gather.linked)
      before = writing.serializer.between
    }
    yield close
  }
  yield frame.includedClose
}

/** What stands before the items, and these, encoded where they are long. The batch is of no further use. */
export async function itemPieces(
  writing: Writing,
  model: ModelDescription,
  head: string,
  items: readonly StoredItem[],
  linked: Linked | undefined,
  cursors?: Cursors,
): Promise<readonly Chunk[]> {
  const pieces = new TextPieces(head)
  const texts = textsOf(writing, model, items, linked, cursors)
  for (const text of texts instanceof Promise ? await texts : texts) pieces.add(text)
  freeItems(items)
  return pieces.take()
}

/** An item as it stands in a document. */
export async function itemText(writing: Writing, item: StoredItem): Promise<string> {
  const [text] = await textsOf(writing, writing.model, [item], undefined)
  return text!
}

/** Items as they stand in a document, with what stands between them. */
function textsOf(
  writing: Writing,
  model: ModelDescription,
  items: readonly StoredItem[],
  linked: Linked | undefined,
  cursors?: Cursors,
): Iterable<string> | Promise<Iterable<string>> {
  const { representers, context, selection } = writing
  const { isPlain, represent } = representers.get(model)!
  const shared: Remarks = { linked }
  const remarks = ({ id }: { readonly id: string }) => (cursors ? { linked, cursor: cursors.get(id) } : shared)
  if (isPlain(selection.fields)) return written(writing, model, stored(items), remarks)
  return represent(items, context, selection.fields).then((outgoing) => written(writing, model, outgoing, remarks))
}

type Chunk = string | Uint8Array
type Cursors = ReadonlyMap<string, string>
type RemarksOn = (item: { readonly id: string }) => Remarks

function* stored(items: readonly StoredItem[]): Generator<Outgoing> {
  for (const item of items) yield { kind: 'stored', item }
}

function* written(
  { serializer, facts }: Writing,
  model: ModelDescription,
  items: Iterable<Outgoing>,
  remarks: RemarksOn,
): Generator<string> {
  const { between } = serializer
  let before = ''
  for (const one of items) {
    yield before + serializer.item(model, one, facts.base, remarks(one.kind === 'stored' ? one.item : one))
    before = between
  }
}
