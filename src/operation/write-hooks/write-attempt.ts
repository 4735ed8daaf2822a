import type { CommittedWrite, WriteCause } from '../../context/write-hooks.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import type { Validations } from '../validations.ts'
import type { CodeCalls } from './code-calls.ts'
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
  unit: UnitOfWork,
  source: WriteSource,
  work: (items: ItemsOf, running: RunningTransaction) => Result,
) => Result

/** A transaction in which code reads and writes items. */
export interface RunningTransaction {
  readonly transaction: UnitOfWork
  readonly source: WriteSource
  /** The calls of the code that has begun it. */
  readonly calls: CodeCalls
}

/** The transaction of an action, which begins when code of the action first needs it. */
export interface LazyTransaction {
  readonly isOpen: boolean
  /** Has the action ended? */
  readonly hasEnded: boolean
  open(): Promise<RunningTransaction>
  /** @throws Error if the action was ended because it took too long */
  refuseExpired(): void
  /** The action has to wait for the call. */
  track<T>(called: Promise<T>): Promise<T>
}

/** Runs code of an action. All items that it writes take part in the transaction. */
export type RunInAction = <Result>(transaction: LazyTransaction, code: () => Result) => Result

/** How code with items runs. */
export interface CodeRunner {
  readonly withItems: WithItems
  readonly runInAction: RunInAction
}

/** What the hooks of a transaction need besides its writes. */
export interface WriteAttempt {
  readonly steps: WriteStepsByModel
  readonly withItems: WithItems
  /** Lets hooks run once the transaction is durable. */
  runAfterCommit(hooks: WriteSteps['afterCommit'], write: CommittedWrite<unknown>): void
}
