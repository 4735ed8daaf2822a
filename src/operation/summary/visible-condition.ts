import { refusalsOf } from '../../error/refusals.ts'
import { idIsAnyOf } from '../../query/conditions.ts'
import type { Condition, OffsetPlan } from '../../query/query-plan.ts'
import { countOf } from '../../text/message-text.ts'
import type { ListOperationInput } from '../operation-input.ts'
import { isPartialRange } from '../visible-range.ts'

export const visibleConditionErrors = ['limit-exceeded'] as const

const { refuse } = refusalsOf(visibleConditionErrors)

/** How many items a hook may limit a list to that is added up. */
const maxVisibleItems = 10_000

/**
 * What an item of the list satisfies. Where a hook limits the list to a number of items, these are
 * the items with the ids of the list: others are not added up.
 * @throws ApiError `limit-exceeded` if these are too many
 */
export async function visibleCondition(
  { store, view: { model } }: Pick<ListOperationInput, 'store' | 'view'>,
  { condition, sort, pageRange }: OffsetPlan,
): Promise<Condition> {
  const { offset, limit } = pageRange
  if (!isPartialRange(pageRange)) return condition
  const { entries } = await store.page(model, {
    condition,
    sort,
    pageRange: { kind: 'offset', offset, limit: Math.min(limit, maxVisibleItems + 1) },
  })
  if (entries.length > maxVisibleItems)
    refuse(
      'limit-exceeded',
      `The list has more than ${countOf(maxVisibleItems, 'item')} that can be added up. Filter it.`,
      undefined,
      { meta: { limit: maxVisibleItems } },
    )
  return idIsAnyOf(entries.map(({ id }) => id))
}
