import type { ModelDescription } from '../model/model-description.ts'

/** Items of one model that a request changes besides its own. */
export interface RelatedChange {
  readonly model: ModelDescription
  readonly ids: readonly string[]
}

/** The changes of other models' items to which request hooks have consented. */
export interface Approvals {
  /** @throws ApprovalRequired with the items for which no hook has run, or one has refused */
  check(change: RelatedChange): void | Promise<void>
}

/** For requests that change no items of guarded models. */
export const noApprovalNeeded: Approvals = Object.freeze({ check: () => undefined })

/**
 * Ends a transaction that changes items without an approval. Request hooks may take long, and a
 * transaction must not wait for them. The caller of the transaction runs the hooks, and starts it
 * again.
 */
export class ApprovalRequired extends Error {
  override readonly name = 'ApprovalRequired'
  readonly change: RelatedChange

  constructor(change: RelatedChange) {
    super(`The request hooks of '${change.model.name}' have not run yet.`)
    this.change = change
  }
}
