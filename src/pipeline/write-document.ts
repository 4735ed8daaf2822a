import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Selection } from '../rule/selection.ts'
import type { DocumentFacts, ListFrame, Serializer } from '../serializer/serializer.ts'
import type { StoredItem } from '../store/stored-item.ts'
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

/** How long a slow first batch is waited for, in milliseconds, before the head of the list goes out without it. */
const headDelay = 3

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

/** The same, batch by batch, while the items are read. */
export async function* documentChunks(
  writing: Writing,
  frame: ListFrame,
  batches: AsyncIterable<readonly StoredItem[]>,
): AsyncGenerator<string> {
  const gather = gathererOf(writing)
  const reading = batches[Symbol.asyncIterator]()
  try {
    let next = reading.next()
    let head = frame.open
    if (await isSlow(next)) {
      yield head
      head = ''
    }
    for (let batch = await next; !batch.done; batch = await next) {
      gather?.add(batch.value)
      yield head + (await itemTexts(writing, writing.model, batch.value))
      next = reading.next()
      head = ','
    }
    yield (head === frame.open ? head : '') + frame.afterItems
  } finally {
    await reading.return?.()
  }
  if (gather) yield* includedTexts(writing, frame, gather)
  yield frame.close
}

/** The head goes out early only where the store has to search or sort first: a store that fails at once is still answered with an error. */
async function isSlow(first: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const late = wait(headDelay, true, { signal: over.signal }).catch(() => false)
  try {
    return await Promise.race([first.then(() => false), late])
  } finally {
    over.abort()
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

async function itemTexts(
  { serializer, representers, context, selection, facts }: Writing,
  model: ModelDescription,
  items: readonly StoredItem[],
): Promise<string> {
  const outgoing = await representers.get(model)!.represent(items, context, selection.fields)
  return outgoing.map((item) => serializer.item(model, item, facts)).join(',')
}
