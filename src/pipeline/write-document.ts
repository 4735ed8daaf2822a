import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Selection } from '../rule/selection.ts'
import type { Linked, Remarks } from '../serializer/outgoing.ts'
import type { DocumentFacts, ListFrame, Serializer } from '../serializer/serializer.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { type Gatherer, gatherer, type Start } from './include.ts'
import type { Parts } from './parts.ts'
import type { Representer } from './represent.ts'

/** What all writers of a document need. */
export interface Writing {
  readonly parts: Parts
  readonly serializer: Serializer
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  readonly model: ModelDescription
  readonly selection: Selection
  readonly context: Context
  readonly facts: DocumentFacts
}

/** How long a slow first batch is waited for, in milliseconds, before the head of the list goes out without it. */
const headDelay = 3

/**
 * The whole text of a document whose primary items are at hand.
 * @param cursors of the items, in their order, where the document tells them
 */
export async function documentText(
  writing: Writing,
  frame: ListFrame,
  items: readonly StoredItem[],
  cursors?: readonly string[],
): Promise<string> {
  const gather = gathererOf(writing)
  await gather?.add(items)
  const texts = items.length === 0 ? frame.nothing : await primaryTexts(writing, items, gather, cursors)
  const text = frame.open + texts + frame.afterItems
  if (!gather) return text + frame.close
  let included = ''
  for await (const chunk of includedTexts(writing, frame, gather)) included += chunk
  return text + included + frame.close
}

/**
 * The same, batch by batch, while the items are read. The first batch is waited for before the promise settles, so that a store that fails
 * at once is answered with an error; but only for so long, so that the head goes out where the store has to search or sort first.
 */
export async function documentChunks(
  writing: Writing,
  frame: ListFrame,
  batches: AsyncIterable<readonly StoredItem[]>,
): Promise<AsyncIterable<string>> {
  const reading = batches[Symbol.asyncIterator]()
  const first = reading.next()
  const isSlow = await isLate(first)
  return { [Symbol.asyncIterator]: () => closing(chunks(writing, frame, reading, first, isSlow), reading) }
}

/** A client can leave before the first chunk is asked for: what was begun is ended then too, which a generator that never ran would not do. */
function closing(chunks: AsyncGenerator<string>, reading: Reading): AsyncIterator<string> {
  return {
    next: () => chunks.next(),
    return: async () => {
      await reading.return?.()
      return chunks.return(undefined)
    },
  }
}

type Reading = AsyncIterator<readonly StoredItem[]>

async function* chunks(
  writing: Writing,
  frame: ListFrame,
  reading: Reading,
  first: ReturnType<Reading['next']>,
  isSlow: boolean,
): AsyncGenerator<string> {
  const { parts, context } = writing
  const gather = gathererOf(writing)
  let head = frame.open
  try {
    if (isSlow) {
      yield head
      head = ''
    }
    for (let batch = await first; !batch.done; batch = await reading.next()) {
      await gather?.add(batch.value)
      yield head + (await primaryTexts(writing, batch.value, gather))
      head = ','
    }
    yield (head === frame.open ? head : '') + frame.afterItems
    if (gather) yield* includedTexts(writing, frame, gather)
    yield frame.close
  } catch (error) {
    // The answer is under way: the host breaks it off.
    parts.report(error, context)
    throw error
  } finally {
    await reading.return?.()
  }
}

async function isLate(first: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const late = wait(headDelay, true, { signal: over.signal }).catch(() => false)
  try {
    return await Promise.race([first.then(() => false), late])
  } finally {
    over.abort()
  }
}

function gathererOf({ parts, serializer, model, selection, context, facts }: Writing): Gatherer | undefined {
  const { include } = selection
  if (!include) return undefined
  // The paths of a relationship begin with the relation itself.
  const start: Start =
    facts.holds === 'items'
      ? { model, tree: include, primary: 'sent' }
      : { model, tree: include.flatMap((node) => node.children), primary: include.length > 0 ? 'linked' : 'sent' }
  return gatherer(parts, start, serializer.linkage, context)
}

async function primaryTexts(
  writing: Writing,
  items: readonly StoredItem[],
  gather: Gatherer | undefined,
  cursors?: readonly string[],
): Promise<string> {
  const { serializer, model, facts } = writing
  if (facts.holds === 'items') return itemTexts(writing, model, items, gather?.linked, cursors)
  return items.map((item, index) => serializer.identifier(model, item.id, { cursor: cursors?.[index] })).join(',')
}

async function* includedTexts(writing: Writing, frame: ListFrame, gather: Gatherer): AsyncGenerator<string> {
  yield frame.includedOpen
  let before = ''
  for (const { model, batches } of await gather.groups()) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.groupsJoined) before = ''
    for await (const batch of batches) {
      yield before + (await itemTexts(writing, model, batch, gather.linked))
      before = ','
    }
    yield close
  }
  yield frame.includedClose
}

async function itemTexts(
  { serializer, representers, context, selection, facts }: Writing,
  model: ModelDescription,
  items: readonly StoredItem[],
  linked: Linked | undefined,
  cursors?: readonly string[],
): Promise<string> {
  const outgoing = await representers.get(model)!.represent(items, context, selection.fields)
  const shared: Remarks = { linked }
  const remarks = (index: number) => (cursors ? { linked, cursor: cursors[index] } : shared)
  return outgoing.map((item, index) => serializer.item(model, item, facts, remarks(index))).join(',')
}
