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
 * Writes the included items of a page as they are stored: one group for each model, each item once,
 * without items that their model's middleware hides.
 */
export async function* writeRawIncluded(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  linkedIds: ReadonlyMap<OwnedRelation, readonly string[]>,
): AsyncGenerator<string | Uint8Array> {
  yield frame.includedOpen
  let isFirst = true
  for (const [model, ids] of idsByModel(linkedIds)) {
    const { open, close } = frame.group(model)
    yield open
    if (!frame.areGroupsJoined) isFirst = true
    for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
      for await (const pieces of readRawItems(
        documentContext,
        model,
        ids.slice(start, start + maxIdsPerQuery),
      )) {
        if (!isFirst) yield documentContext.serializer.separator
        yield* pieces
        isFirst = false
      }
    }
    yield close
  }
  yield frame.includedClose
}

/** Several relations may lead to the same model. */
function idsByModel(
  linkedIds: ReadonlyMap<OwnedRelation, readonly string[]>,
): ReadonlyMap<ModelDescription, string[]> {
  const ids = new Map<ModelDescription, Set<string>>()
  for (const [{ relatedModel }, relatedIds] of linkedIds) {
    const modelIds = ids.get(relatedModel)
    if (modelIds) for (const id of relatedIds) modelIds.add(id)
    else ids.set(relatedModel, new Set(relatedIds))
  }
  return new Map([...ids].map(([model, idSet]) => [model, [...idSet].sort(compareText)]))
}

/** Several items at a time, in one or more pieces; never an empty array. */
async function* readRawItems(
  documentContext: DocumentContext,
  model: ModelDescription,
  ids: readonly string[],
): AsyncGenerator<readonly (string | Uint8Array)[]> {
  const { services, rawLineWriter, context } = documentContext
  const guard = services.guards.readCondition(model, context)
  const plan: QueryPlan = {
    ...allItemsPlan,
    condition: andAlso(idIsAnyOf(ids), guard),
    pageRange: { ...allItemsPlan.pageRange, limit: ids.length },
  }
  const page = await services.store.rawJson?.page(model, plan, [], rawLineWriter.format, context)
  if (page) {
    if (page.lines.length > 0) yield [rawLineWriter.write(model, page.lines)]
    return
  }
  for await (const items of chunkBatches(
    fetchByIds(storeForCaller(services.store, context), model, ids, guard),
  ))
    yield await itemPieces(documentContext, model, '', items, undefined)
}
