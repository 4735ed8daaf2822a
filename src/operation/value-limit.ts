import type { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { ModelView } from '../model/model-view.ts'
import type { ItemPayload, Payload, PayloadValue } from '../serializer/payload.ts'
import type { ExistingBase } from './write/item-base.ts'
import { mergePatch } from './write/merge-patch.ts'

export const valueLimitErrors = ['limit-exceeded'] as const

const { createApiError } = refusalsOf(valueLimitErrors)

/**
 * Limits what validators get at once: they run synchronously, and an invalid value costs them many
 * times what a valid one does. Linkage does not count.
 * @throws ApiError `limit-exceeded`, with a pointer to the member that exceeds the limit
 */
export function refuseManyValues(payload: Payload | undefined, limit: number): void {
  if (!payload) return
  if (payload.kind === 'item') {
    let count = 0
    for (const value of payload.values.values()) {
      count += countValues(value.value)
      if (count > limit) throw tooMany('An item', limit, value)
    }
  } else if (payload.kind === 'present' && countValues(payload.value) > limit)
    throw tooMany('The input of an action', limit, payload)
}

/**
 * An item is validated as a whole, so it must not grow beyond the limit by several small updates.
 * An item that is over the limit already may be changed, but not grow.
 * @throws ApiError `limit-exceeded`, with a pointer to the largest member of the payload
 */
export function refuseGrowth(
  view: ModelView,
  { stored, masked }: Pick<ExistingBase, 'stored' | 'masked'>,
  payload: ItemPayload,
  limit: number,
): void {
  let before = 0
  let after = 0
  let largest: { readonly member: PayloadValue<unknown>; readonly count: number } | undefined
  for (const { name } of view.model.valueFields) {
    // What the caller does not see does not count, or its size could be found out.
    const seen = masked.has(name) ? undefined : stored[name]
    const storedCount = countValues(seen)
    const member = payload.values.get(name)
    const count = member
      ? countValues(mergePatch(seen, member.value, payload.keepsNulls))
      : storedCount
    before += storedCount
    after += count
    if (member && count > (largest?.count ?? -1)) largest = { member, count }
  }
  if (largest && after > limit && after > before) throw tooMany('An item', limit, largest.member)
}

/** Counts a value and its members and elements, at all levels. */
function countValues(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const child of Array.isArray(value) ? value : Object.values(value))
    count += countValues(child)
  return count
}

function tooMany(subject: string, limit: number, { steps }: PayloadValue<unknown>): ApiError {
  const detail = `${subject} must have at most ${limit} values (members and elements at all levels).`
  return createApiError(
    'limit-exceeded',
    detail,
    { pointer: formatPointer(steps) },
    { meta: { limit } },
  )
}
