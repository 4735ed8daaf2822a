import { type ApiError, createApiError } from '../error/api-error.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { ModelView } from '../model/model-view.ts'
import type { ActionPayload, ItemPayload, PayloadValue } from '../serializer/payload.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'
import { mergePatch } from './write/merge-patch.ts'

/**
 * Bounds what validators are given at once: they work in one turn of the event loop, and a wrong
 * value costs them many times what a right one does. Linkage does not count.
 * @throws ApiError `limit-exceeded`, with a pointer to the member that goes beyond the limit
 */
export function refuseManyValues(
  sent: ItemPayload | ActionPayload | undefined,
  limit: number,
): void {
  if (!sent) return
  if ('values' in sent) {
    let count = 0
    for (const value of sent.values.values()) {
      count += valuesOf(value.value)
      if (count > limit) throw tooMany('An item', limit, value)
    }
  } else if (sent.kind === 'sent' && valuesOf(sent.value) > limit)
    throw tooMany('The input of an action', limit, sent)
}

/**
 * An item is validated as a whole, so that it may not grow beyond the limit by one part after the
 * other. One that the service itself wrote may have more, but gets no more.
 * @throws ApiError `limit-exceeded`, with a pointer to the largest member that was sent
 */
export function refuseGrowth(
  view: ModelView,
  stored: StoredValues,
  sent: ItemPayload,
  limit: number,
): void {
  let before = 0
  let after = 0
  let largest: { readonly member: PayloadValue<unknown>; readonly count: number } | undefined
  for (const { name } of view.model.valueFields) {
    const kept = valuesOf(stored[name])
    const member = sent.values.get(name)
    const count = member ? valuesOf(mergePatch(stored[name], member.value, sent.keepsNulls)) : kept
    before += kept
    after += count
    if (member && count > (largest?.count ?? -1)) largest = { member, count }
  }
  if (largest && after > limit && after > before) throw tooMany('An item', limit, largest.member)
}

/** A value and its members and elements, at all levels. */
function valuesOf(value: unknown): number {
  if (value === undefined) return 0
  if (typeof value !== 'object' || value === null) return 1
  let count = 1
  for (const inner of Array.isArray(value) ? value : Object.values(value)) count += valuesOf(inner)
  return count
}

function tooMany(what: string, limit: number, { steps }: PayloadValue<unknown>): ApiError {
  const detail = `${what} has at most ${limit} values ('maxItemValues'), its members and elements at all levels together.`
  return createApiError(
    'limit-exceeded',
    detail,
    { pointer: formatPointer(steps) },
    { meta: { limit } },
  )
}
