import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Selection } from '../rule/selection.ts'
import type { Outgoing } from '../serializer/outgoing.ts'
import type { DocumentFacts, ListFrame, Serializer } from '../serializer/serializer.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { isLate, opened } from './first-batch.ts'
import { type Gatherer, gatherer } from './include.ts'
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

/** The whole text of a document whose primary items are at hand. */
export async function documentText(writing: Writing, frame: ListFrame, items: readonly StoredItem[]): Promise<string> {
  const text = frame.open + (await itemTexts(writing, writing.model, items)) + frame.afterItems
  const gather = gathererOf(writing)
  if (!gather) return text + frame.close
  gather.add(items)
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
  return opened(chunks(writing, frame, reading, first, isSlow), reading)
}

type Reading = AsyncIterator<readonly StoredItem[]>

async function* chunks(
  writing: Writing,
  frame: ListFrame,
  reading: Reading,
  first: ReturnType<Reading['next']>,
  isSlow: boolean,
): AsyncGenerator<string> {
  const { parts, context, model } = writing
  const gather = gathererOf(writing)
  let head = frame.open
  try {
    if (isSlow) {
      yield head
      head = ''
    }
    for (let batch = await first; !batch.done; batch = await reading.next()) {
      gather?.add(batch.value)
      yield head + (await itemTexts(writing, model, batch.value))
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

function gathererOf({ parts, model, selection, context }: Writing): Gatherer | undefined {
  return selection.include && gatherer(parts, model, selection.include, context)
}

async function* includedTexts(writing: Writing, frame: ListFrame, gather: Gatherer): AsyncGenerator<string> {
  yield frame.includedOpen
  let before = ''
  for (const { model, batches } of await gather.groups()) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.groupsJoined) before = ''
    for await (const batch of batches) {
      yield before + (await itemTexts(writing, model, batch))
      before = ','
    }
    yield close
  }
  yield frame.includedClose
}

function itemTexts(writing: Writing, model: ModelDescription, items: readonly StoredItem[]): string | Promise<string> {
  const { representers, context, selection } = writing
  const { isPlain, represent } = representers.get(model)!
  if (isPlain(selection.fields)) return storedTexts(writing, model, items)
  return represent(items, context, selection.fields).then((outgoing) => joined(writing, model, outgoing))
}

function storedTexts({ serializer, facts }: Writing, model: ModelDescription, items: readonly StoredItem[]): string {
  let texts = ''
  for (const item of items) texts += (texts === '' ? '' : ',') + serializer.item(model, { kind: 'stored', item }, facts)
  return texts
}

function joined({ serializer, facts }: Writing, model: ModelDescription, outgoing: readonly Outgoing[]): string {
  return outgoing.map((item) => serializer.item(model, item, facts)).join(',')
}
