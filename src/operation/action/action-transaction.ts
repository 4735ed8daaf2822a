import type { AnyModel } from '../../model/declare/model.ts'
import type { Items, ItemsOf } from '../../model/items/items.ts'
import { itemsOnceOpen } from '../../model/items/items-once-open.ts'
import type { StoreAccess } from '../../store/store.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'

/** Something to do in a transaction. */
type Work<T> = (transaction: StoreTransaction) => Promise<T>

/** What the transaction of an action needs. */
export interface ActionTransactionSettings<T> {
  readonly store: StoreAccess
  /** Runs code with items in the transaction. */
  withItems<R>(transaction: StoreTransaction, work: (items: ItemsOf) => Promise<R>): Promise<R>
  /** Calls the action once more, in a transaction that the store runs again. */
  readonly callAgain: Work<T>
}

/**
 * The transaction of one call of an action. It begins with the first use of `items`, so that an
 * action which never uses them blocks no other writers, whatever it waits for.
 */
export class ActionTransaction<T> {
  readonly #settings: ActionTransactionSettings<T>
  #opened: Promise<ItemsOf> | undefined
  #finish: (work: Work<T>) => void = () => undefined
  #outcome: Promise<T> | undefined

  constructor(settings: ActionTransactionSettings<T>) {
    this.#settings = settings
  }

  readonly items: ItemsOf = <M extends AnyModel>(model: M): Items<M> => {
    const open = () => this.#open().then((items) => items(model))
    return itemsOnceOpen(open, (call) => {
      const called = open().then(call)
      // An action that does not wait for a call is refused as a whole.
      called.catch(() => undefined)
      return called
    })
  }

  /** Has the action used `items`? */
  get isOpen(): boolean {
    return this.#opened !== undefined
  }

  /**
   * Does the last work in the transaction, and commits it. The store may run all of it again, and
   * so call the action again, also where the work throws.
   */
  async finish(work: Work<T>): Promise<T | undefined> {
    this.#finish(work)
    return this.#outcome
  }

  /** Undoes the transaction, if there is one. */
  abort(): void {
    this.#finish(() => Promise.reject(new Error('The action has ended.')))
  }

  #open(): Promise<ItemsOf> {
    this.#opened ??= new Promise((resolve, reject) => {
      const { store, withItems, callAgain } = this.#settings
      const last = new Promise<Work<T>>((finish) => {
        this.#finish = finish
      })
      let isCalled = false
      this.#outcome = store.write(async (transaction) => {
        if (isCalled) return callAgain(transaction)
        isCalled = true
        return withItems(transaction, async (items) => {
          resolve(items)
          return (await last)(transaction)
        })
      })
      this.#outcome.catch(reject)
    })
    return this.#opened
  }
}
