import { refusalsOf } from '../error/refusals.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { countOf } from '../text/message-text.ts'
import type { ListOperationInput } from './operation-input.ts'

export const listLengthErrors = ['limit-exceeded'] as const

const { refuse } = refusalsOf(listLengthErrors)

/**
 * Refuses a whole list that is too long, before any of it is sent. The store reads only so far as
 * to see whether there is one item more.
 * @throws ApiError `limit-exceeded`
 */
export async function checkListLength(
  { store, view: { model }, page, visibleRange: { offset, limit } }: ListOperationInput,
  { condition }: QueryPlan,
): Promise<void> {
  const maxItems = page.kind === 'none' ? page.maxItems : undefined
  if (maxItems === undefined || limit <= maxItems) return
  const { entries } = await store.page(model, {
    condition,
    sort: [],
    pageRange: { kind: 'offset', offset: offset + maxItems, limit: 1 },
  })
  if (entries.length > 0)
    refuse(
      'limit-exceeded',
      `The list has more than ${countOf(maxItems, 'item')}. Request it in pages, with 'page[size]'.`,
      undefined,
      { meta: { limit: maxItems } },
    )
}
