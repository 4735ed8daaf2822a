import { type Context, contextForItem } from '../../context/context.ts'
import { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { missingItemDetail } from '../../operation/missing-item-detail.ts'
import type { ModelEndpoint } from '../../pipeline/model-endpoint.ts'
import type { RouterServices } from '../../pipeline/router-services.ts'
import { runRequestHooks } from '../../pipeline/run-request-hooks.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { pathView, relationTargetOf } from '../../rule/rule.ts'
import { storeForCaller } from '../../store/store-for-caller.ts'
import { contentHash } from '../../stored-item/content-hash.ts'

const ownErrors = ['not-found', 'forbidden'] as const

const { createApiError } = refusalsOf(ownErrors)

/** What decides whether a caller gets the result of an earlier request. */
export interface ReplayedItem {
  readonly endpoint: Pick<ModelEndpoint, 'rule' | 'readHooks'>
  readonly context: Context
  /** The query of the request, narrowed by its hooks. */
  readonly condition: Condition
  /** The id in the path, or of the item that was created; undefined for another result. */
  readonly id: string | undefined
  /** Is this the very caller that sent the first request, not another one of its scope? */
  readonly isSameCaller: boolean
  /** The content of the item that the request created, as its caller saw it. */
  readonly createdContent: string | undefined
}

type Services = Pick<RouterServices, 'store' | 'wholeStore' | 'guards'>

/**
 * Asks again whether the caller may see the item as it is now: under the hooks of the operation, of
 * reading it, or of changing it. One of them is enough, because a change may lead out of its own
 * conditions, as `publish` does that is for drafts only. The rule of creation says nothing about an
 * item that somebody has changed since, so it counts only while this caller would see the item that
 * it made: other changes must not show. An item that was deleted hides nothing from the caller that
 * has had the response.
 * @throws ApiError `not-found`; `forbidden` for an item that the request created
 */
export async function checkReplayVisible(
  services: Services,
  replayed: ReplayedItem,
): Promise<void> {
  const { endpoint, context, id, isSameCaller } = replayed
  if (id === undefined) return
  const { model } = pathView(endpoint.rule)
  if (await isVisible(services, { ...replayed, id })) return
  if (isSameCaller) {
    const reader = storeForCaller(services.store, context)
    if (!(await reader.find(model, idEquals(id)))) return
  }
  throw context.id === undefined
    ? createApiError('forbidden', `You are not allowed to see this ${model.name}.`)
    : createApiError('not-found', missingItemDetail(model.name, id))
}

async function isVisible(
  services: Services,
  replayed: ReplayedItem & { readonly id: string },
): Promise<boolean> {
  const { endpoint, context, condition, id, isSameCaller, createdContent } = replayed
  const { guards } = services
  const { model } = pathView(endpoint.rule)
  const reader = storeForCaller(services.store, context)
  const isThere = async (isMet: Condition) =>
    (await reader.find(model, andAlso(isMet, idEquals(id)))) !== undefined
  const isInPath = context.id !== undefined
  if (isInPath && !relationTargetOf(endpoint.rule) && (await isThere(condition))) return true
  if (isInPath || (await doHooksAllow(endpoint, context, id))) {
    if (await isThere(guards.itemCondition(model, context, id))) return true
    if (await isThere(guards.writeCondition(model, context, id))) return true
  }
  if (createdContent === undefined || !isSameCaller) return false
  const isOwn = andAlso(guards.outcomeCondition(model, context), idEquals(id))
  if (!(await storeForCaller(services.wholeStore, context).find(model, isOwn))) return false
  const seen = await reader.find(model, idEquals(id))
  return seen !== undefined && contentHash(seen) === createdContent
}

/** Those that read the item; a request whose path names it has passed them already. */
async function doHooksAllow(
  { readHooks }: Pick<ModelEndpoint, 'readHooks'>,
  context: Context,
  id: string,
): Promise<boolean> {
  if (readHooks.length === 0) return true
  try {
    const itemContext = contextForItem(context, context.rule, id)
    return (await runRequestHooks(readHooks, itemContext)) === undefined
  } catch (error) {
    if (error instanceof ApiError) return false
    throw error
  }
}
