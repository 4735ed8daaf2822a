import { refusalsOf } from '../error/refusals.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { Payload } from '../serializer/payload.ts'

export const identifierLimitErrors = ['limit-exceeded'] as const

const { refuse } = refusalsOf(identifierLimitErrors)

/** Counts the ids that the relations of one request name, in all operations of a batch. */
export class IdentifierLimit {
  readonly #limit: number
  #count = 0

  constructor({ maxIdentifiers }: RouterLimits) {
    this.#limit = maxIdentifiers
  }

  /**
   * @returns the ids of this payload
   * @throws ApiError `limit-exceeded`, with a pointer to the relation that exceeds the limit
   */
  add(payload: Payload | undefined): number {
    if (payload?.kind !== 'item') return 0
    const before = this.#count
    for (const relation of payload.relations.values()) {
      if (relation.kind !== 'many') continue
      this.#count += relation.ids.length
      if (this.#count <= this.#limit) continue
      const detail = `A request must have at most ${this.#limit} ids of related items. Send the rest in further requests.`
      throw refuse(
        'limit-exceeded',
        detail,
        { pointer: formatPointer(relation.steps) },
        { meta: { limit: this.#limit } },
      )
    }
    return this.#count - before
  }
}
