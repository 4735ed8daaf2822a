import type { ErrorCode } from '../../error/catalog.ts'
import type { CommittedWrite, WriteCause } from '../../items/write-hooks.ts'
import type { TransactionObserver } from '../../store/store-for-caller.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { HookedTransaction, writeHookErrors } from './hooked-transaction.ts'
import type { WithItems, WriteAttempt, WriteSource } from './write-attempt.ts'
import type { WriteSteps, WriteStepsByModel } from './write-steps.ts'

export const observedWriteErrors: readonly ErrorCode[] = [...writeHookErrors]

/** What hooks around writes need, for all requests of a router. */
export interface WriteHookServices {
  readonly steps: WriteStepsByModel
  readonly withItems: WithItems
  /** Called with the errors of hooks that run after the commit. */
  report(error: unknown, cause: WriteCause): void
}

/** One attempt of a transaction, which may have several operations. */
export class HookAttempt implements WriteAttempt {
  readonly #services: WriteHookServices
  readonly #calls: CommitCall[] = []

  constructor(services: WriteHookServices) {
    this.#services = services
  }

  get steps(): WriteStepsByModel {
    return this.#services.steps
  }

  transaction(inner: StoreTransaction, source: WriteSource): StoreTransaction {
    return new HookedTransaction(inner, this, source)
  }

  get withItems(): WithItems {
    return this.#services.withItems
  }

  runAfterCommit(hooks: WriteSteps['afterCommit'], write: CommittedWrite<unknown>): void {
    for (const hook of hooks) this.#calls.push({ hook, write })
  }

  /** The transaction is durable: runs the hooks that wait for it, in the order of the writes. */
  committed(): Promise<void> | undefined {
    return this.#calls.length === 0 ? undefined : this.#runCalls()
  }

  async #runCalls(): Promise<void> {
    for (const { hook, write } of this.#calls) {
      try {
        await hook(write as never)
      } catch (error) {
        this.#services.report(error, write.cause)
      }
    }
  }
}

interface CommitCall {
  readonly hook: WriteSteps['afterCommit'][number]
  readonly write: CommittedWrite<unknown>
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

  begin(transaction: StoreTransaction): StoreTransaction {
    this.#attempt = new HookAttempt(this.#services)
    return this.#attempt.transaction(transaction, this.#source)
  }

  committed(): Promise<void> | undefined {
    return this.#attempt?.committed()
  }
}
