import { lazy } from '../cache/lazy.ts'
import { AsyncScope } from '../concurrency/async-scope.ts'
import type { Context } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import type { ItemsOptions } from '../items/items-options.ts'
import type { WriteCause } from '../items/write-hooks.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { Items, ItemsOf } from '../model/items/items.ts'
import { itemsOnceOpen } from '../model/items/items-once-open.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { retryUntilValidated, Validations } from '../operation/validations.ts'
import { HookedTransaction } from '../operation/write-hooks/hooked-transaction.ts'
import type { SentItem, WithItems, WriteSource } from '../operation/write-hooks/write-attempt.ts'
import { WriteObserver } from '../operation/write-hooks/write-observer.ts'
import { withApprovals, withApprovalsInTransaction } from '../pipeline/with-approvals.ts'
import type { Caller } from '../store/caller.ts'
import type { StoreAccess } from '../store/store.ts'
import { allowManyChanges, storeForCaller } from '../store/store-for-caller.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import { transactionAccess } from '../store/wrap-store.ts'
import { CodeCalls } from './code-calls.ts'
import type { ItemEndpoints } from './item-endpoints.ts'
import type {
  Actor,
  ItemEnvironment,
  RunningTransaction,
  TransactionEnvironment,
} from './item-environment.ts'
import { lockingReader } from './locking-reader.ts'
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
  /** Lets the transaction of the code that is running, if any, wait for a call. */
  join<T>(called: Promise<T>): Promise<T>
  /** Runs code with items in the transaction of an operation, such as a hook. */
  withItems: WithItems
}

/**
 * @param actorServices compiled when code first uses items
 * @param describe finds the description of a prepared model
 */
export function itemAccess(
  actorServices: (actor: Actor) => ActorServices,
  describe: (model: AnyModel) => ModelDescription,
): ItemAccess {
  const actorOf = ({ as: context }: ItemsOptions): Actor =>
    context ? { kind: 'caller', context } : service
  /**
   * The transaction of the code that is running. `router.items` in it would otherwise wait for its
   * end.
   */
  const running = new AsyncScope<RunningTransaction>()
  const runningTransaction = (): RunningTransaction | undefined => {
    const current = running.current
    return current?.calls.hasEnded ? undefined : current
  }
  const environmentOf = (options: ItemsOptions): ItemEnvironment => {
    const actor = actorOf(options)
    const ownServices = actorServices(actor)
    const current = runningTransaction()
    return current
      ? transactionEnvironment(actor, ownServices, current, new CodeCalls(current.calls))
      : storeEnvironment(actor, ownServices)
  }
  const itemsFor =
    (environment: ItemEnvironment): ItemsOf =>
    (model) =>
      itemsOf(environment, describe(model))
  return {
    items: (model, options = {}) => itemsFor(environmentOf(options))(model),
    transaction: (work, options = {}) =>
      environmentOf(options).inTransaction((environment, transaction) =>
        running.run(transaction, () =>
          environment.calls.runCode(async () => work(itemsFor(environment))),
        ),
      ),
    join: (called) => {
      const current = runningTransaction()
      return current ? current.calls.track(called) : called
    },
    withItems: (transaction, source, work) => {
      const calls = new CodeCalls()
      const current: RunningTransaction = { transaction, source, calls }
      const items = lazy(() =>
        itemsFor(transactionEnvironment(service, actorServices(service), current, calls)),
      )
      return running.run(current, () => calls.runCode(() => work((model) => items()(model))))
    },
  }
}

const service: Actor = Object.freeze({ kind: 'service' })

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
    calls: undefined,
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
          const calls = new CodeCalls()
          const current: RunningTransaction = { transaction, source, calls }
          return work(transactionEnvironment(actor, actorServices, current, calls), current)
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
  calls: CodeCalls,
): TransactionEnvironment {
  const { source } = current
  const { cause, validations } = source
  const transaction = observedTransaction(current.transaction, calls)
  const environment: TransactionEnvironment = {
    actor,
    calls,
    ...actorServices,
    reader: lockingReader(transaction),
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

/** Hooks write through it too. */
function observedTransaction(transaction: StoreTransaction, calls: CodeCalls): StoreTransaction {
  return transaction instanceof HookedTransaction
    ? transaction.over((inner) => calls.observe(inner))
    : calls.observe(transaction)
}

/** In a transaction, calls of items are made one after the other. */
function itemsOf<M extends AnyModel>(
  environment: ItemEnvironment,
  model: ModelDescription,
): Items<M> {
  const items = new ModelItems<M>(environment, model)
  const { calls } = environment
  if (!calls) return items
  return {
    ...itemsOnceOpen(
      async () => items,
      (call) => calls.runNext(() => call(items)),
    ),
    // Its bytes may be read from other items.
    setResource: (id, path, content) => calls.run(() => items.setResource(id, path, content)),
  }
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

/** Code of the service has no client that could leave. */
function callerOf(actor: Actor): Caller {
  return contextOf(actor) ?? { signal: new AbortController().signal }
}
