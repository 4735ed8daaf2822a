import { storeChoiceOf } from '../../context/context.ts'
import type { ItemsOptions } from '../../context/items-options.ts'
import { expectItemsOptions } from '../../items/code-arguments.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { joinWords } from '../../text/message-text.ts'
import type { Router } from '../router.ts'
import type { RouterOfStore } from './router-of-store.ts'
import type { StoreRouter } from './store-router.ts'

/** Those that may act in the name of a request. */
const takesContext: ReadonlySet<string> = new Set(['items()', 'transaction()'])

/** Decides which store code of the service uses, and refuses transactions in two. */
export class StoreCalls<Caller> {
  readonly #stores: readonly StoreRouter<Caller>[]
  readonly #storeOf: (caller: Caller | undefined) => StoreRouter<Caller>

  constructor(
    stores: readonly StoreRouter<Caller>[],
    storeOf: (caller: Caller | undefined) => StoreRouter<Caller>,
  ) {
    this.#stores = stores
    this.#storeOf = storeOf
  }

  /**
   * The router over the store of the request in whose name code acts, or of the transaction that it
   * takes part in.
   * @throws TypeError where there is neither, and where they differ
   */
  for(call: string, options: ItemsOptions | undefined): Router<Caller> {
    expectItemsOptions(call, options)
    if (!options?.as) return this.current(call)
    const store = this.#ofContext(options.as)
    this.#refuseOthers(call, store)
    return store.router
  }

  /** @throws TypeError outside of a transaction */
  current(call: string): Router<Caller> {
    const store = this.#inCode()
    if (store) return store.router
    const [{ name }] = this.#stores as readonly [StoreRouter<Caller>]
    const advice = `Call ${call} of router.inStore('${name}') or router.inStoreOf(caller).`
    const ofRequest = ' Or pass the request in whose name it acts: { as: context }.'
    throw new TypeError(
      `${call} of a router with several stores needs to know which one. ${advice}${takesContext.has(call) ? ofRequest : ''}`,
    )
  }

  inStore(name: string): RouterOfStore {
    const store = this.#stores.find((each) => each.name === name)
    if (store) return this.#callsOf(store)
    const names = joinWords(this.#stores.map((each) => `'${each.name}'`))
    throw new RegistrationError(
      `The router has no store '${name}'. The option 'stores' of createRouter() has ${names}.`,
    )
  }

  inStoreOf(caller: Caller | undefined): RouterOfStore {
    return this.#callsOf(this.#storeOf(caller))
  }

  #callsOf(store: StoreRouter<Caller>): RouterOfStore {
    const { router } = store
    const expect = (call: string, options?: ItemsOptions): void => {
      expectItemsOptions(call, options)
      this.#refuseOthers(call, store)
      if (!options?.as) return
      const other = this.#ofContext(options.as)
      if (other !== store)
        throw new TypeError(
          `${call} of the store '${store.name}' cannot act in the name of a caller of the store '${other.name}'. Call ${call} of the router, which uses the store of the caller.`,
        )
    }
    return {
      load: async (...call) => {
        expect('load()')
        return router.load(...call)
      },
      loadResource: async (...call) => {
        expect('loadResource()')
        return router.loadResource(...call)
      },
      sweep: (graceMs) => router.sweep(graceMs),
      erase: async (model, id) => {
        expect('erase()')
        return router.erase(model, id)
      },
      query: (model) => {
        expect('query()')
        return router.query(model)
      },
      items: (model, options) => {
        expect('items()', options)
        return router.items(model, options)
      },
      transaction: async (work, options) => {
        expect('transaction()', options)
        return router.transaction(work, options)
      },
    }
  }

  /**
   * Handles a request outside of the transactions of other stores: code that is running there may
   * send a request of a caller of this one.
   */
  runIn<T>(store: StoreRouter<Caller>, handle: () => T): T {
    return this.#storesInCode()
      .filter((each) => each !== store)
      .reduce<() => T>(
        (inner, { code }) =>
          () =>
            code.runOutside(inner),
        handle,
      )()
  }

  /** Items of one store may be used in a transaction of another. */
  #inCode(): StoreRouter<Caller> | undefined {
    return this.#storesInCode()[0]
  }

  /** The innermost one first. */
  #storesInCode(): readonly StoreRouter<Caller>[] {
    return this.#stores
      .flatMap((store) => {
        const number = store.code.scopeNumber()
        return number === undefined ? [] : [{ store, number }]
      })
      .sort((one, other) => other.number - one.number)
      .map(({ store }) => store)
  }

  /** The function of the option is called once a request. */
  #ofContext(context: NonNullable<ItemsOptions['as']>): StoreRouter<Caller> {
    const choice = storeChoiceOf(context)
    const store = choice && this.#stores.find((each) => each.choice === choice)
    return store ?? this.#storeOf(context.caller as Caller | undefined)
  }

  /** @throws TypeError in a transaction of another store */
  #refuseOthers(call: string, store: StoreRouter<Caller>): void {
    const current = this.#inCode()
    if (current === undefined || current === store) return
    throw new TypeError(
      `${call} uses the store '${store.name}', but the code that calls it takes part in a transaction of the store '${current.name}'. A transaction has one store: call it once the transaction has ended.`,
    )
  }
}
