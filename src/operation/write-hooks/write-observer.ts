import type { CommittedWrite } from '../../context/write-hooks.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { TransactionObserver } from '../../store/store-for-caller.ts'
import type { UnitOfWork } from '../../store/unit-of-work.ts'
import { type CommitCallServices, CommitCalls } from './commit-calls.ts'
import { HookedTransaction, writeHookErrors } from './hooked-transaction.ts'
import type { WithItems, WriteAttempt, WriteSource } from './write-attempt.ts'
import type { WriteSteps, WriteStepsByModel } from './write-steps.ts'

export const observedWriteErrors: readonly ErrorCode[] = [...writeHookErrors]

/** What hooks around writes need, for all requests of a router. */
export interface WriteHookServices {
  readonly steps: WriteStepsByModel
  readonly withItems: WithItems
  readonly commitCalls: CommitCallServices
}

/** One attempt of a transaction, which may have several operations. */
export class HookAttempt implements WriteAttempt {
  readonly #services: WriteHookServices
  #calls: CommitCalls | undefined

  constructor(services: WriteHookServices) {
    this.#services = services
  }

  get steps(): WriteStepsByModel {
    return this.#services.steps
  }

  transaction(unit: UnitOfWork, source: WriteSource): UnitOfWork {
    return new HookedTransaction(unit, this, source)
  }

  get withItems(): WithItems {
    return this.#services.withItems
  }

  runAfterCommit(hooks: WriteSteps['afterCommit'], write: CommittedWrite<unknown>): void {
    if (hooks.length === 0) return
    this.#calls ??= new CommitCalls(this.#services.commitCalls)
    this.#calls.add(hooks, write)
  }

  /** The transaction is durable: runs the hooks that wait for it. */
  committed(): Promise<void> | undefined {
    return this.#calls?.run()
  }
}

/** Runs the hooks around the writes of one operation, in each of its transactions. */
export class WriteObserver implements TransactionObserver {
  readonly #services: WriteHookServices
  readonly #source: WriteSource
  #attempt: HookAttempt | undefined

  constructor(services: WriteHookServices, source: WriteSource) {
    this.#services = services
    this.#source = source
  }

  begin(unit: UnitOfWork): UnitOfWork {
    this.#attempt = new HookAttempt(this.#services)
    return this.#attempt.transaction(unit, this.#source)
  }

  committed(): Promise<void> | undefined {
    return this.#attempt?.committed()
  }
}
