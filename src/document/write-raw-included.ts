import type { Chunk } from '../http/chunk.ts'
import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { compareText } from '../query/compare.ts'
import { andAlso, idIsAnyOf } from '../query/conditions.ts'
import { allItemsPlan, type QueryPlan } from '../query/query-plan.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
import { maxIdsPerQuery } from '../store/max-ids-per-query.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { chunkBatches } from './chunk-items.ts'
import type { DocumentContext } from './document-context.ts'
import { itemPieces } from './write-items.ts'

/**
 * Writes the included items of a page as they are stored, and the end of the document: one group
 * for each model, each item once, without items that their model's middleware hides. Texts between
 * items are joined, because each chunk of a generator takes time.
 */
export async function* writeRawIncluded(
  documentContext: DocumentContext,
  frame: DocumentFrame,
  linkedIds: ReadonlyMap<OwnedRelation, readonly string[]>,
): AsyncGenerator<Chunk> {
  const { separator } = documentContext.endpoint.serializer
  let text = frame.afterItems + frame.includedOpen
  let separatorBefore = ''
  for (const [model, ids] of idsByModel(linkedIds)) {
    const { open, close } = frame.group(model)
    text += open
    if (!frame.areGroupsJoined) separatorBefore = ''
    for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
      const queriedIds =
        ids.length <= maxIdsPerQuery ? ids : ids.slice(start, start + maxIdsPerQuery)
      const bytes = await readRawItems(documentContext, model, queriedIds)
      if (!bytes) {
        for await (const pieces of readItems(documentContext, model, queriedIds)) {
          yield text + separatorBefore
          yield* pieces
          text = ''
          separatorBefore = separator
        }
      } else if (bytes.length > 0) {
        yield text + separatorBefore
        yield bytes
        text = ''
        separatorBefore = separator
      }
    }
    text += close
  }
  yield text + frame.includedClose + frame.close
}

/** Several relations may lead to the same model. */
function idsByModel(
  linkedIds: ReadonlyMap<OwnedRelation, readonly string[]>,
): ReadonlyMap<ModelDescription, readonly string[]> {
  const idsOfModels = new Map<ModelDescription, readonly string[]>()
  for (const [{ relatedModel }, ids] of linkedIds) {
    const otherIds = idsOfModels.get(relatedModel)
    idsOfModels.set(relatedModel, otherIds ? [...new Set([...otherIds, ...ids])] : ids)
  }
  // One query returns its items in order.
  for (const [model, ids] of idsOfModels)
    if (ids.length > maxIdsPerQuery) idsOfModels.set(model, [...ids].sort(compareText))
  return idsOfModels
}

/** The items as they stand in the document; undefined where the store cannot read raw JSON. */
async function readRawItems(
  { services, endpoint: { rawLineWriter }, context }: DocumentContext,
  model: ModelDescription,
  ids: readonly string[],
): Promise<Uint8Array | undefined> {
  const plan: QueryPlan = {
    condition: andAlso(idIsAnyOf(ids), services.guards.readCondition(model, context)),
    sort: allItemsPlan.sort,
    pageRange: { kind: 'offset', offset: 0, limit: ids.length },
  }
  const page = await services.store.fastPaths?.rawJson?.page(
    model,
    plan,
    [],
    rawLineWriter.format,
    context,
  )
  return page && rawLineWriter.write(model, page.lines)
}

/** The items in batches of one or more pieces. */
async function* readItems(
  documentContext: DocumentContext,
  model: ModelDescription,
  ids: readonly string[],
): AsyncGenerator<readonly Chunk[]> {
  const { services, context } = documentContext
  const guard = services.guards.readCondition(model, context)
  const store = storeForCaller(services.store, context)
  for await (const items of chunkBatches(fetchByIds(store, model, ids, guard)))
    yield await itemPieces(documentContext, model, '', items, undefined)
}
