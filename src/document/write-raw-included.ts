import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { fetchByIds, maxIdsPerQuery } from '../operation/fetch-by-ids.ts'
import { compareText } from '../query/compare.ts'
import { andAlso, idIsAnyOf } from '../query/conditions.ts'
import { allItemsPlan, type QueryPlan } from '../query/query-plan.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { chunkBatches } from './chunk-items.ts'
import { type DocumentContext, itemPieces } from './write-document.ts'

/**
 * The included items of a page in the text around them, where they go out as they are stored: one
 * group for each model, each item once, and none that its model's middleware hides.
 */
export async function* writeRawIncluded(
  writing: DocumentContext,
  frame: DocumentFrame,
  linked: ReadonlyMap<OwnedRelation, readonly string[]>,
): AsyncGenerator<string | Uint8Array> {
  yield frame.includedOpen
  let isFirst = true
  for (const [model, ids] of idsByModel(linked)) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.areGroupsJoined) isFirst = true
    for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
      for await (const texts of readRawItems(
        writing,
        model,
        ids.slice(start, start + maxIdsPerQuery),
      )) {
        if (!isFirst) yield writing.serializer.separator
        yield* texts
        isFirst = false
      }
    }
    yield close
  }
  yield frame.includedClose
}

/** Several relations may lead to items of one model. */
function idsByModel(
  linked: ReadonlyMap<OwnedRelation, readonly string[]>,
): ReadonlyMap<ModelDescription, string[]> {
  const ids = new Map<ModelDescription, Set<string>>()
  for (const [{ relatedModel }, held] of linked) {
    const known = ids.get(relatedModel)
    if (known) for (const id of held) known.add(id)
    else ids.set(relatedModel, new Set(held))
  }
  return new Map([...ids].map(([model, found]) => [model, [...found].sort(compareText)]))
}

/** Several items at a time, in one or more pieces; never none. */
async function* readRawItems(
  writing: DocumentContext,
  model: ModelDescription,
  ids: readonly string[],
): AsyncGenerator<readonly (string | Uint8Array)[]> {
  const { services, readPage, context } = writing
  const guard = services.guards.readCondition(model, context)
  const plan: QueryPlan = {
    ...allItemsPlan,
    condition: andAlso(idIsAnyOf(ids), guard),
    pageRange: { ...allItemsPlan.pageRange, limit: ids.length },
  }
  const page = await readPage(model, plan, [], context)
  if (page) {
    if (page.bytes.length > 0) yield [page.bytes]
    return
  }
  for await (const items of chunkBatches(
    fetchByIds(storeForCaller(services.store, context), model, ids, guard),
  ))
    yield await itemPieces(writing, model, '', items, undefined)
}
