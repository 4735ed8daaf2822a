import type { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import { countOf } from '../text/message-text.ts'
import type { WriteObserver } from './write-observer.ts'

export const changeLimitErrors = ['limit-exceeded'] as const

const { createApiError } = refusalsOf(changeLimitErrors)

/** Limits how many items one transaction of a client changes. */
export class ChangeLimit implements WriteObserver {
  readonly #maxChangedItems: number
  #changedCount = 0

  constructor(maxChangedItems: number) {
    this.#maxChangedItems = maxChangedItems
  }

  /** @throws ApiError `limit-exceeded` from the write that exceeds the limit */
  beforeWrite(): undefined {
    this.#changedCount++
    if (this.#changedCount > this.#maxChangedItems) throw tooManyChanges(this.#maxChangedItems)
  }
}

function tooManyChanges(limit: number): ApiError {
  return createApiError(
    'limit-exceeded',
    `A request may change at most ${countOf(limit, 'item')}, including items that refer to the changed ones. Nothing was changed.`,
    undefined,
    { meta: { limit } },
  )
}
