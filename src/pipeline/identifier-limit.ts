import { refuse } from '../error/api-error.ts'
import { pointer } from '../http/json-pointer.ts'
import type { Limits } from '../rule/limits.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'

/** Counts the identifiers that the relations of one request name, of all its operations where it is a batch. */
export class IdentifierLimit {
  readonly #limit: number
  #count = 0

  constructor({ maxIdentifiers }: Limits) {
    this.#limit = maxIdentifiers
  }

  /** @throws ApiError `limit-exceeded`, with a pointer to the relation that goes beyond the limit */
  add(sent: SentItem | SentInput | undefined): void {
    if (!sent || !('relations' in sent)) return
    for (const relation of sent.relations.values()) {
      if (relation.kind !== 'many') continue
      this.#count += relation.ids.length
      if (this.#count <= this.#limit) continue
      const detail = `The relations of one request may name at most ${this.#limit} items; send the others in further requests.`
      throw refuse('limit-exceeded', detail, { pointer: pointer(relation.steps) }, { meta: { limit: this.#limit } })
    }
  }
}
