import type { AnyModel } from '../../model/declare/model.ts'
import type { Items, ItemsOf } from '../../model/items/items.ts'
import { itemsOnceOpen } from '../../model/items/items-once-open.ts'
import type { StoreAccess, StoreTransaction } from '../../store/store.ts'

type ItemsIn = (transaction: StoreTransaction) => ItemsOf

/** Ends a transaction that would run again: the action has to be called again first. */
class CalledTwice extends Error {
  override readonly name = 'CalledTwice'
}

/**
 * The transaction of one call of an action. It begins with the first use of `items`, so that an
 * action which never uses them blocks no other writers, whatever it waits for.
 */
export class ActionTransaction {
  readonly #store: StoreAccess
  readonly #itemsIn: ItemsIn
  #opened: Promise<ItemsOf> | undefined
  #finish: (work: FinalWork | undefined) => void = () => undefined
  #outcome: Promise<unknown> | undefined

  constructor(store: StoreAccess, itemsIn: ItemsIn) {
    this.#store = store
    this.#itemsIn = itemsIn
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
   * Does the last work in the transaction, and commits it.
   * @returns undefined if the action has to be called again
   */
  async finish<T>(work: (transaction: StoreTransaction) => Promise<T>): Promise<T | undefined> {
    this.#finish(work)
    try {
      return (await this.#outcome) as T
    } catch (error) {
      if (error instanceof CalledTwice) return undefined
      throw error
    }
  }

  /** Undoes the transaction, if there is one. */
  async abort(): Promise<void> {
    this.#finish(undefined)
    await this.#outcome?.catch(() => undefined)
  }

  #open(): Promise<ItemsOf> {
    this.#opened ??= new Promise((resolve, reject) => {
      const last = new Promise<FinalWork | undefined>((finish) => {
        this.#finish = finish
      })
      let isCalled = false
      this.#outcome = this.#store.write(async (transaction) => {
        if (isCalled) throw new CalledTwice()
        isCalled = true
        resolve(this.#itemsIn(transaction))
        const work = await last
        if (!work) throw new CalledTwice()
        return work(transaction)
      })
      this.#outcome.catch(reject)
    })
    return this.#opened
  }
}

type FinalWork = (transaction: StoreTransaction) => Promise<unknown>
