import type { ItemsOf } from '../../model/items/items.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { WriteSource } from '../unit-of-work/write-source.ts'
import type { CodeCalls } from './code-calls.ts'

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
