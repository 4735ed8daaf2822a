import type { Context } from '../../context/context.ts'
import type { RouterServices } from '../../document/router-services.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { missingItemDetail } from '../../operation/missing-item-detail.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { type ModelRule, pathView, relationTargetOf } from '../../rule/rule.ts'
import { storeForCaller } from '../../store/store-for-caller.ts'

const ownErrors = ['not-found', 'forbidden'] as const

const { createApiError } = refusalsOf(ownErrors)

/** What decides whether a caller gets the result of an earlier request. */
export interface ReplayedItem {
  readonly rule: ModelRule
  readonly context: Context
  /** The query of the request, narrowed by its hooks. */
  readonly condition: Condition
  /** The id in the path, or of the item that was created; undefined for another result. */
  readonly id: string | undefined
}

/**
 * Asks again whether the caller may see the item: under the hooks of the operation, of reading it,
 * or of changing it. One of them is enough, because a change may lead out of its own conditions, as
 * `publish` does that is for drafts only. An item that was deleted hides nothing.
 * @throws ApiError `not-found`; `forbidden` for an item that the request created
 */
export async function checkReplayVisible(
  { store, guards }: Pick<RouterServices, 'store' | 'guards'>,
  { rule, context, condition, id }: ReplayedItem,
): Promise<void> {
  if (id === undefined) return
  const { model } = pathView(rule)
  const reader = storeForCaller(store, context)
  const isCreation = context.id === undefined
  const isThere = (met: Condition) => reader.find(model, andAlso(met, idEquals(id)))
  const conditions: readonly (() => Condition)[] = [
    ...(relationTargetOf(rule) ? [] : [() => condition]),
    () => guards.itemCondition(model, context, id),
    () =>
      isCreation
        ? guards.outcomeCondition(model, context)
        : guards.writeCondition(model, context, id),
  ]
  // The condition of a creation is about no item.
  for (const own of isCreation ? conditions.slice(-2) : conditions) if (await isThere(own())) return
  if (!(await reader.find(model, idEquals(id)))) return
  throw isCreation
    ? createApiError('forbidden', `You are not allowed to see this ${model.name} any more.`)
    : createApiError('not-found', missingItemDetail(model.name, id))
}
