import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import type { ItemsOptions } from '../items/items-options.ts'
import type { WriteCause } from '../items/write-hooks.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { Items, ItemsOf } from '../model/items/items.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { retryUntilValidated, Validations } from '../operation/validations.ts'
import { HookedTransaction } from '../operation/write-hooks/hooked-transaction.ts'
import type { SentItem, WriteSource } from '../operation/write-hooks/write-attempt.ts'
import { WriteObserver } from '../operation/write-hooks/write-observer.ts'
import { withApprovals, withApprovalsInTransaction } from '../pipeline/with-approvals.ts'
import type { Caller, StoreAccess, StoreTransaction } from '../store/store.ts'
import { allowManyChanges, storeForCaller } from '../store/store-for-caller.ts'
import { readerOf, transactionAccess } from '../store/wrap-store.ts'
import type { ItemEndpoints } from './item-endpoints.ts'
import type { Actor, ItemEnvironment, RunningTransaction } from './item-environment.ts'
import { ModelItems } from './model-items.ts'

/** What code can do as one kind of actor. */
export interface ActorServices {
  readonly services: RouterServices
  readonly endpoints: ItemEndpoints
}

/** The items of a router in code. */
export interface ItemAccess {
  items<M extends AnyModel>(model: M, options?: ItemsOptions): Items<M>
  transaction<T>(work: (items: ItemsOf) => Promise<T>, options?: ItemsOptions): Promise<T>
  /** Items in the transaction of an operation whose hooks run. */
  itemsIn(transaction: StoreTransaction, source: WriteSource): ItemsOf
}

/**
 * @param actorServices compiled when code first uses items
 * @param describe finds the description of a prepared model
 */
export function itemAccess(
  actorServices: (kind: Actor['kind']) => ActorServices,
  describe: (model: AnyModel) => ModelDescription,
): ItemAccess {
  const actorOf = ({ as: context }: ItemsOptions): Actor =>
    context ? { kind: 'caller', context } : { kind: 'service' }
  /** The transaction of code that is running. */
  const running = new AsyncLocalStorage<RunningTransaction>()
  const environmentOf = (options: ItemsOptions): ItemEnvironment => {
    const actor = actorOf(options)
    const ownServices = actorServices(actor.kind)
    const current = running.getStore()
    return current
      ? transactionEnvironment(actor, ownServices, current)
      : storeEnvironment(actor, ownServices)
  }
  const itemsFor =
    (environment: ItemEnvironment): ItemsOf =>
    (model) =>
      new ModelItems(environment, describe(model))
  return {
    items: (model, options = {}) => itemsFor(environmentOf(options))(model),
    transaction: (work, options = {}) =>
      environmentOf(options).inTransaction((environment, transaction) =>
        running.run(transaction, () => work(itemsFor(environment))),
      ),
    itemsIn: (transaction, source) =>
      itemsFor(
        transactionEnvironment({ kind: 'service' }, actorServices('service'), {
          transaction,
          source,
        }),
      ),
  }
}

/** Each operation has a transaction of its own. */
function storeEnvironment(actor: Actor, actorServices: ActorServices): ItemEnvironment {
  const { services } = actorServices
  const caller = callerOf(actor)
  const cause: WriteCause = { kind: 'code', context: contextOf(actor) }
  const validationsOf = () => new Validations(services.validationTimeoutMs, caller)
  const storeOf = (source: WriteSource): StoreAccess =>
    storeForCaller(
      services.store,
      allowManyChanges(caller),
      Number.POSITIVE_INFINITY,
      services.writeHooks && new WriteObserver(services.writeHooks, source),
    )
  const reader = storeForCaller(services.store, caller)
  return {
    actor,
    ...actorServices,
    reader,
    cause,
    withApprovals,
    run: (sentItem, operation) => {
      const validations = validationsOf()
      const store = storeOf({ cause, validations, sentItem })
      return retryUntilValidated(validations, () => operation({ store, validations }))
    },
    inTransaction: (work) => {
      const validations = validationsOf()
      const source: WriteSource = { cause, validations, sentItem: undefined }
      const store = storeOf(source)
      return retryUntilValidated(validations, () =>
        store.write((transaction) => {
          const current: RunningTransaction = { transaction, source }
          return work(transactionEnvironment(actor, actorServices, current), current)
        }),
      )
    },
  }
}

/** All operations share the transaction. */
function transactionEnvironment(
  actor: Actor,
  actorServices: ActorServices,
  current: RunningTransaction,
): ItemEnvironment {
  const { transaction, source } = current
  const { cause, validations } = source
  const environment: ItemEnvironment = {
    actor,
    ...actorServices,
    reader: readerOf(transaction),
    cause,
    withApprovals: withApprovalsInTransaction,
    run: (sentItem, operation) =>
      operation({
        store: transactionAccess(withSentItem(transaction, source, sentItem)),
        validations,
      }),
    inTransaction: (work) => work(environment, current),
  }
  return environment
}

function withSentItem(
  transaction: StoreTransaction,
  source: WriteSource,
  sentItem: SentItem | undefined,
): StoreTransaction {
  return transaction instanceof HookedTransaction
    ? transaction.withSource({ ...source, sentItem })
    : transaction
}

function contextOf(actor: Actor): Context | undefined {
  return actor.kind === 'caller' ? actor.context : undefined
}

/** Nobody leaves while code of the service runs. */
function callerOf(actor: Actor): Caller {
  return contextOf(actor) ?? { signal: new AbortController().signal }
}
