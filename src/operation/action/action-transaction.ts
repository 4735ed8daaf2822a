import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { HookTimeout } from '../../error/hook-timeout.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import type { Items, ItemsOf } from '../../model/items/items.ts'
import { itemsOnceOpen } from '../../model/items/items-once-open.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import type { StoreAccess } from '../unit-of-work/operation-store.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { LazyTransaction, RunningTransaction } from '../write-hooks/code-runner.ts'

/** Something to do in a transaction. */
type Work<T> = (unit: UnitOfWork) => Promise<T>

/** What the transaction of an action needs. */
export interface ActionTransactionSettings<T>
  extends Pick<ActionOperationInput, 'withItems' | 'runInAction'> {
  readonly store: StoreAccess
  /** Calls the action once more, in a transaction that the store runs again. */
  readonly callAgain: Work<T>
}

/** A transaction under way, and items in it. */
interface OpenTransaction {
  readonly items: ItemsOf
  readonly running: RunningTransaction
}

/**
 * The transaction of one call of an action. It begins with the first use of `items`, or with the
 * first write of other items in code, so that an action which does neither blocks no other writers,
 * whatever it waits for.
 */
export class ActionTransaction<T> implements LazyTransaction {
  readonly #settings: ActionTransactionSettings<T>
  readonly #pending = new Set<Promise<unknown>>()
  #opened: Promise<OpenTransaction> | undefined
  #finish: (work: Work<T>) => void = () => undefined
  #outcome: Promise<T> | undefined
  #hasEnded = false
  #running: RunningTransaction | undefined
  readonly #expired = promiseWithResolvers<HookTimeout>()

  constructor(settings: ActionTransactionSettings<T>) {
    this.#settings = settings
  }

  readonly items: ItemsOf = <M extends AnyModel>(model: M): Items<M> => {
    const open = () => this.#open().then(({ items }) => items(model))
    return itemsOnceOpen(open, <T>(call: (opened: Items<M>) => Promise<T>) =>
      this.track<T>(open().then(call)),
    )
  }

  /** Runs code of the action: what it writes with items of the router is in the transaction. */
  run<Result>(code: () => Result): Result {
    return this.#settings.runInAction(this, code)
  }

  /** Has the action used the transaction? */
  get isOpen(): boolean {
    return this.#opened !== undefined
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  refuseExpired(): void {
    this.#running?.calls.refuseExpired()
  }

  /** Settles if the action keeps the transaction waiting for too long. */
  get expired(): Promise<HookTimeout> {
    return this.#expired.promise
  }

  /** Has the action begun a call, and not waited for it? */
  get isPending(): boolean {
    return this.#pending.size > 0
  }

  track<Called>(called: Promise<Called>): Promise<Called> {
    this.#pending.add(called)
    const forget = () => this.#pending.delete(called)
    // An action that does not wait for a call is refused as a whole.
    called.then(forget, forget)
    return called
  }

  async open(): Promise<RunningTransaction> {
    return (await this.#open()).running
  }

  /**
   * Does the last work in the transaction, and commits it. The store may run all of it again, and
   * so call the action again, also where the work throws.
   */
  async finish(work: Work<T>): Promise<T | undefined> {
    this.#finish(work)
    this.#hasEnded = true
    return this.#outcome
  }

  /** Ends the call, and undoes the transaction, if it is still open. */
  abort(): void {
    this.#hasEnded = true
    this.#finish(() => Promise.reject(hasEnded()))
  }

  #open(): Promise<OpenTransaction> {
    if (this.#hasEnded && !this.#opened) return Promise.reject(hasEnded())
    this.#opened ??= new Promise((resolve, reject) => {
      const { store, withItems, callAgain } = this.#settings
      const last = new Promise<Work<T>>((finish) => {
        this.#finish = finish
      })
      let isCalled = false
      this.#outcome = store.write(async (transaction) => {
        if (isCalled) return callAgain(transaction)
        isCalled = true
        return withItems(transaction, async (items, running) => {
          this.#running = running
          resolve({ items, running })
          return (await last)(transaction)
        })
      })
      this.#outcome.catch((error: unknown) => {
        if (error instanceof HookTimeout) this.#expired.resolve(error)
        reject(error)
      })
    })
    return this.#opened
  }
}

function hasEnded(): Error {
  return new Error('The action has ended.')
}
