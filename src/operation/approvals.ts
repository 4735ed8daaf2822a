import type { ModelDescription } from '../model/model-description.ts'

/** Items of one model that a request changes beside the one it is about. */
export interface RelatedChange {
  readonly model: ModelDescription
  readonly ids: readonly string[]
}

/** Of which side changes the other model's request hooks have been asked already. */
export interface Approvals {
  /** @throws Unasked with those of the items that nobody has been asked about. */
  check(change: RelatedChange): void
}

/** For requests whose side changes nobody needs to be asked about. */
export const noApprovalNeeded: Approvals = Object.freeze({ check: () => undefined })

/**
 * Ends a transaction in which items turned out to change that nobody has been asked about: request
 * hooks may take long, and a work waits for nothing but its store. Whoever began it asks, and
 * begins it anew.
 */
export class ApprovalRequired extends Error {
  override readonly name = 'Unasked'
  readonly change: RelatedChange

  constructor(change: RelatedChange) {
    super(`The request hooks of '${change.model.name}' have not been asked.`)
    this.change = change
  }
}
