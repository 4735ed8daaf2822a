import type { ModelDescription, OwnedRelation } from '../model/description.ts'
import { batchSize, fetchByIds } from '../operation/fetch-by-ids.ts'
import { both, hasAnyId } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { ListFrame } from '../serializer/serializer.ts'
import { compareText } from '../store/compare.ts'
import { onBehalf } from '../store/on-behalf.ts'
import { itemTexts, type Writing } from './write-document.ts'

/**
 * The included items of a page in the text around them, where they go out as they are stored: one group for each model, each item once, and
 * none that its model's middleware hides.
 */
export async function includedTexts(
  writing: Writing,
  frame: ListFrame,
  linked: ReadonlyMap<OwnedRelation, readonly string[]>,
): Promise<readonly (string | Uint8Array)[]> {
  const chunks: (string | Uint8Array)[] = [frame.includedOpen]
  let isFirst = true
  for (const [model, ids] of idsByModel(linked)) {
    const { open, close } = frame.group(model)
    chunks.push(open)
    if (!frame.groupsJoined) isFirst = true
    for (let start = 0; start < ids.length; start += batchSize) {
      const texts = await textsOf(writing, model, ids.slice(start, start + batchSize))
      if (texts.length === 0) continue
      if (!isFirst) chunks.push(writing.serializer.between)
      chunks.push(texts)
      isFirst = false
    }
    chunks.push(close)
  }
  return [...chunks, frame.includedClose]
}

/** Several relations may lead to items of one model. */
function idsByModel(linked: ReadonlyMap<OwnedRelation, readonly string[]>): ReadonlyMap<ModelDescription, string[]> {
  const ids = new Map<ModelDescription, Set<string>>()
  for (const [{ target }, held] of linked) {
    const known = ids.get(target)
    if (known) for (const id of held) known.add(id)
    else ids.set(target, new Set(held))
  }
  return new Map([...ids].map(([model, found]) => [model, [...found].sort(compareText)]))
}

async function textsOf(writing: Writing, model: ModelDescription, ids: readonly string[]): Promise<Uint8Array> {
  const { parts, serializer, pages, context } = writing
  const guard = parts.guards.condition(model, context)
  const plan = {
    ...everything,
    condition: both(hasAnyId(ids), guard),
    window: { ...everything.window, limit: ids.length },
  }
  const page = await pages(model, plan, [], context)
  if (page) return page.texts
  const texts: string[] = []
  for await (const batch of fetchByIds(onBehalf(parts.store, context), model, ids, guard))
    texts.push(await itemTexts(writing, model, batch, undefined))
  return Buffer.from(texts.join(serializer.between))
}
