import type { ModelDescription, OwnedRelation } from '../model/description.ts'
import { batchSize, fetchByIds } from '../operation/fetch-by-ids.ts'
import { both, hasAnyId } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { ListFrame } from '../serializer/serializer.ts'
import { compareText } from '../store/compare.ts'
import { onBehalf } from '../store/on-behalf.ts'
import { slicesOf } from './slices-of-items.ts'
import { itemPieces, type Writing } from './write-document.ts'

/**
 * The included items of a page in the text around them, where they go out as they are stored: one group for each model, each item once, and
 * none that its model's middleware hides.
 */
export async function* includedTexts(
  writing: Writing,
  frame: ListFrame,
  linked: ReadonlyMap<OwnedRelation, readonly string[]>,
): AsyncGenerator<string | Uint8Array> {
  yield frame.includedOpen
  let isFirst = true
  for (const [model, ids] of idsByModel(linked)) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.groupsJoined) isFirst = true
    for (let start = 0; start < ids.length; start += batchSize) {
      for await (const texts of textsOf(writing, model, ids.slice(start, start + batchSize))) {
        if (!isFirst) yield writing.serializer.between
        yield* texts
        isFirst = false
      }
    }
    yield close
  }
  yield frame.includedClose
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

/** Several items at a time, in one or more pieces; never none. */
async function* textsOf(
  writing: Writing,
  model: ModelDescription,
  ids: readonly string[],
): AsyncGenerator<readonly (string | Uint8Array)[]> {
  const { parts, pages, context } = writing
  const guard = parts.guards.condition(model, context)
  const plan = {
    ...everything,
    condition: both(hasAnyId(ids), guard),
    window: { ...everything.window, limit: ids.length },
  }
  const page = await pages(model, plan, [], context)
  if (page) {
    if (page.texts.length > 0) yield [page.texts]
    return
  }
  for await (const items of slicesOf(fetchByIds(onBehalf(parts.store, context), model, ids, guard)))
    yield await itemPieces(writing, model, '', items, undefined)
}
