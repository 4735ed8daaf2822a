import { refuseAll } from '../../error/api-error.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { stillReferenced } from './change-refusals.ts'
import type { WriteSession } from './write-session.ts'

interface Removal {
  readonly model: ModelDescription
  readonly statements: readonly Statement[]
  /** Are the foreign keys to it checked at the commit only, as in tables of the store? */
  readonly isCheckedAtCommit: boolean
}

/**
 * The removed items of a transaction. The items that refer to one change after it, while foreign
 * keys of other programs may be checked at once. Such an item is removed before the commit.
 */
export class Removals {
  readonly #session: WriteSession
  /** The items that others referred to when they were removed. */
  #pending: readonly Removal[] = []
  #hasRemovals = false

  constructor(session: WriteSession) {
    this.#session = session
  }

  /** Has the transaction removed any item? */
  get hasRemovals(): boolean {
    return this.#hasRemovals
  }

  /** Are items left to remove? */
  get arePending(): boolean {
    return this.#pending.length > 0
  }

  async add(removal: Removal): Promise<void> {
    this.#hasRemovals = true
    if (removal.isCheckedAtCommit && this.#session.isOptimistic)
      await this.#session.attempt(removal.statements)
    else if (!(await this.#tryRemoval(removal))) this.#pending = [...this.#pending, removal]
  }

  /**
   * Removes the items that are left.
   *
   * @throws ApiError `still-referenced` for an item that a row of any table refers to
   */
  async finish(): Promise<void> {
    while (this.#pending.length > 0) {
      const failed: Removal[] = []
      // Items of a chain are mostly removed after those that they refer to.
      for (const removal of this.#pending.toReversed())
        if (!(await this.#tryRemoval(removal))) failed.push(removal)
      if (failed.length === this.#pending.length)
        refuseAll(failed.toReversed().map(({ model }) => stillReferenced(model)))
      this.#pending = failed.toReversed()
    }
  }

  /** False if a foreign key or another rule of the database forbids it. */
  async #tryRemoval({ statements }: Removal): Promise<boolean> {
    return (await this.#session.attemptWithSavepoint(statements)).kind === 'done'
  }
}
