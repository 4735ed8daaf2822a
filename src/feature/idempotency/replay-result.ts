import { withoutMembers } from '../../access/mask-items.ts'
import type { Context } from '../../context/context.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { OperationResult } from '../../operation/operation-result.ts'
import type { ModelEndpoint } from '../../pipeline/model-endpoint.ts'
import type { RouterServices } from '../../pipeline/router-services.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { refuseLost } from './lost-response.ts'
import { checkReplayVisible, type ReplayedItem } from './replay-visibility.ts'
import { type StoredResult, schemaHash } from './stored-result.ts'

/** Who repeats a request, and how its result is sent. */
export interface Repetition extends Omit<ReplayedItem, 'id' | 'createdContent'> {
  readonly endpoint: Pick<ModelEndpoint, 'rule' | 'model' | 'readHooks'>
}

/**
 * The result of the first request. What is kept is for the caller that has had it. Another one of
 * the same scope may see less: it gets the item as it is now, and nothing else.
 * @throws ApiError `not-found`, `forbidden`, `response-not-kept`
 */
export async function replayResult(
  services: Pick<RouterServices, 'store' | 'wholeStore' | 'guards'>,
  stored: StoredResult,
  repetition: Repetition,
): Promise<OperationResult> {
  const { context, isSameCaller } = repetition
  const id = context.id ?? ('id' in stored ? stored.id : undefined)
  const createdContent = stored.kind === 'created' ? stored.content : undefined
  await checkReplayVisible(services, { ...repetition, id, createdContent })
  switch (stored.kind) {
    case 'item':
    case 'created':
      return { kind: stored.kind, item: await storedItem(services, stored, repetition) }
    case 'deleted':
      return { kind: 'deleted' }
    case 'relationChanged':
      return { kind: 'relationChanged', etag: isSameCaller ? stored.etag : undefined }
    case 'output':
      if (!isSameCaller) refuseLost('Its response is for the caller that sent it.')
      return { kind: 'output', text: stored.text, etag: stored.etag }
    case 'dropped':
      return refuseLost('Its response was too long to be kept.')
  }
}

async function storedItem(
  services: Pick<RouterServices, 'store' | 'guards'>,
  { id, item, schema }: Extract<StoredResult, { readonly id: string }>,
  { endpoint: { model }, context, isSameCaller }: Repetition,
): Promise<StoredItem> {
  const { store } = services
  if (item !== undefined && isSameCaller && schema === schemaHash(model)) {
    const kept: StoredItem = { ...item, hiddenText: null }
    return withoutMembers(model, kept, await hiddenNow(services, model, id, context))
  }
  const current = await store.find(model, idEquals(id), context)
  return current ?? refuseLost('The item has been deleted since.')
}

/** The fields that the caller does not see any more. An item that was deleted hides nothing. */
async function hiddenNow(
  { store, guards }: Pick<RouterServices, 'store' | 'guards'>,
  model: ModelDescription,
  id: string,
  context: Context,
): Promise<readonly string[]> {
  const masks = guards.fields.masksOf(model, context)
  const find = (condition: Condition) => store.find(model, condition, context)
  if (masks.length === 0 || !(await find(idEquals(id)))) return []
  const names: string[] = []
  for (const { name, condition } of masks)
    if (!(await find(andAlso(condition, idEquals(id))))) names.push(name)
  return names
}
