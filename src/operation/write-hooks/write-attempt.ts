import type { CommittedWrite, WriteCause } from '../../items/write-hooks.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { Validations } from '../validations.ts'
import type { WriteSteps, WriteStepsByModel } from './write-steps.ts'

/** What the writes of one operation have in common. */
export interface WriteSource {
  readonly cause: WriteCause
  readonly validations: Validations
  /** The item that a client sent; undefined if it sent none. */
  readonly sentItem: SentItem | undefined
}

export interface SentItem {
  readonly model: ModelDescription
  /** Undefined for a new item. */
  readonly id: string | undefined
  readonly payload: ItemPayload
}

/**
 * Runs code with items that take part in the transaction. Code that returns no promise has ended
 * when this returns.
 * @throws what the code throws, and what keeps the transaction from being committed, even if the
 * code hides it
 */
export type WithItems = <Result>(
  transaction: StoreTransaction,
  source: WriteSource,
  work: (items: ItemsOf) => Result,
) => Result

/** What the hooks of a transaction need besides its writes. */
export interface WriteAttempt {
  readonly steps: WriteStepsByModel
  readonly withItems: WithItems
  /** Lets hooks run once the transaction is durable. */
  runAfterCommit(hooks: WriteSteps['afterCommit'], write: CommittedWrite<unknown>): void
}
