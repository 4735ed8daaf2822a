import { refuse } from '../error/api-error.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'

/**
 * Counts the identifiers that the relations of one request name, of all its operations where it is
 * a batch.
 */
export class IdentifierLimit {
  readonly #limit: number
  #count = 0

  constructor({ maxIdentifiers }: RouterLimits) {
    this.#limit = maxIdentifiers
  }

  /**
   * @throws ApiError `limit-exceeded`, with a pointer to the relation that goes beyond the limit
   */
  add(sent: ItemPayload | ActionPayload | undefined): void {
    if (!sent || !('relations' in sent)) return
    for (const relation of sent.relations.values()) {
      if (relation.kind !== 'many') continue
      this.#count += relation.ids.length
      if (this.#count <= this.#limit) continue
      const detail = `The relations of one request may name at most ${this.#limit} items; send the others in further requests.`
      throw refuse(
        'limit-exceeded',
        detail,
        { pointer: formatPointer(relation.steps) },
        { meta: { limit: this.#limit } },
      )
    }
  }
}
