import { readerForCaller } from '../access/masked-store.ts'
import { lazy } from '../cache/lazy.ts'
import { AsyncScope } from '../concurrency/async-scope.ts'
import type { Context } from '../context/context.ts'
import type { ItemsOptions } from '../context/items-options.ts'
import type { WriteCause } from '../context/write-hooks.ts'
import type { AnyModel } from '../model/declare/model.ts'
import type { Items, ItemsOf } from '../model/items/items.ts'
import { itemsOnceOpen } from '../model/items/items-once-open.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { OperationStore, type StoreAccess } from '../operation/unit-of-work/operation-store.ts'
import type { WriteSource } from '../operation/unit-of-work/write-source.ts'
import { retryUntilValidated, Validations } from '../operation/validations.ts'
import { CodeCalls } from '../operation/write-hooks/code-calls.ts'
import type {
  CodeRunner,
  LazyTransaction,
  RunningTransaction,
} from '../operation/write-hooks/code-runner.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import { withApprovals, withApprovalsInTransaction } from '../pipeline/with-approvals.ts'
import type { StoreCall } from '../store/store-call.ts'
import { allowManyChanges, storeForCaller } from '../store/store-for-caller.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import { readerOf } from '../store/wrap-store.ts'
import type { ItemEndpoints } from './item-endpoints.ts'
import type { Actor, ItemEnvironment, TransactionEnvironment } from './item-environment.ts'
import { lockingReader } from './locking-reader.ts'
import { ModelItems } from './model-items.ts'

/** What code can do as one kind of actor. */
export interface ActorServices {
  readonly services: RouterServices
  readonly endpoints: ItemEndpoints
}

/** The items of a router in code. */
export interface ItemAccess extends CodeRunner {
  items<M extends AnyModel>(model: M, options?: ItemsOptions): Items<M>
  /** @param beforeCommit writes in the same transaction, once the code has ended */
  transaction<T>(
    work: (items: ItemsOf) => Promise<T>,
    options?: ItemsOptions,
    beforeCommit?: (transaction: StoreTransaction) => Promise<void>,
  ): Promise<T>
  /** Lets the transaction of the code that is running, if any, wait for a call. */
  join<T>(called: Promise<T>): Promise<T>
  /**
   * @param call what would wait for the end of the code that is running
   * @throws TypeError within a transaction
   */
  refuseInTransaction(call: string): void
  /**
   * Tells code scopes apart: the greatest number of several routers is the innermost scope.
   * Undefined unless code is running whose items take part in a transaction, or would begin one.
   */
  codeScopeNumber(): number | undefined
  /** Runs what does not take part in the transaction of the code that is running. */
  runOutside<T>(work: () => T): T
}

/** What running code takes part in. Its items would otherwise wait for its end. */
type CodeScope =
  | {
      readonly kind: 'transaction'
      readonly running: RunningTransaction
      readonly number: number
    }
  | {
      readonly kind: 'action'
      readonly number: number
      readonly transaction: LazyTransaction
      /** What the action was called in. */
      readonly outer: CodeScope | undefined
    }

/** Of all routers of the process: an inner scope is always a later one. */
let scopeCount = 0

/**
 * @param actorServices compiled when code first uses items
 * @param describe finds the description of a prepared model
 */
export function itemAccess(
  actorServices: (actor: Actor) => ActorServices,
  describe: (model: AnyModel) => ModelDescription,
  hookTimeoutMs: number,
): ItemAccess {
  const actorOf = ({ as: context }: ItemsOptions): Actor =>
    context ? { kind: 'caller', context } : service
  const scopes = new AsyncScope<CodeScope>()
  const currentScope = (): CodeScope | undefined => {
    let scope = scopes.current
    while (scope?.kind === 'action' && scope.transaction.hasEnded) scope = scope.outer
    return scope?.kind === 'transaction' && scope.running.calls.hasEnded ? undefined : scope
  }
  /** Code that was ended must not write on its own. */
  const refuseExpired = (): void => {
    for (
      let scope = scopes.current;
      scope;
      scope = scope.kind === 'action' ? scope.outer : undefined
    )
      (scope.kind === 'action' ? scope.transaction : scope.running.calls).refuseExpired()
  }
  const environmentIn = (
    { running }: Pick<Extract<CodeScope, { kind: 'transaction' }>, 'running'>,
    options: ItemsOptions,
  ): TransactionEnvironment => {
    const actor = actorOf(options)
    return transactionEnvironment(
      actor,
      actorServices(actor),
      running,
      new CodeCalls(hookTimeoutMs, running.calls),
    )
  }
  const environmentOf = (options: ItemsOptions): ItemEnvironment => {
    const actor = actorOf(options)
    return storeEnvironment(actor, actorServices(actor))
  }
  const inOpenAction = async (transaction: LazyTransaction, options: ItemsOptions) =>
    environmentIn({ running: await transaction.open() }, options)
  /** Reads begin no transaction: others would wait for its end. */
  const itemsInAction = <M extends AnyModel>(
    { transaction, outer }: Extract<CodeScope, { kind: 'action' }>,
    model: ModelDescription,
    options: ItemsOptions,
  ): Items<M> => {
    const written = async () => itemsOf<M>(await inOpenAction(transaction, options), model)
    const read = async () =>
      transaction.isOpen || outer ? written() : itemsOf<M>(environmentOf(options), model)
    return itemsOnceOpen<M>(read, async (call, kind) =>
      call(await (kind === 'write' ? written() : read())),
    )
  }
  const runTransaction = <T>(
    environment: ItemEnvironment,
    work: (items: ItemsOf) => Promise<T>,
    beforeCommit?: (transaction: StoreTransaction) => Promise<void>,
  ): Promise<T> =>
    environment.inTransaction((inner, running) => {
      // Code that is ended stays in its scope, where its items are refused.
      const done = inner.calls.runCode(() =>
        scopes.run({ kind: 'transaction', running, number: ++scopeCount }, async () =>
          work(itemsFor(inner)),
        ),
      )
      if (!beforeCommit) return done
      return done.then(async (result) => {
        await beforeCommit(running.transaction)
        return result
      })
    })
  const itemsFor =
    (environment: ItemEnvironment): ItemsOf =>
    (model) =>
      itemsOf(environment, describe(model))
  return {
    items: (model, options = {}) => {
      refuseExpired()
      const scope = currentScope()
      if (scope?.kind === 'action') return itemsInAction(scope, describe(model), options)
      return itemsFor(scope ? environmentIn(scope, options) : environmentOf(options))(model)
    },
    transaction: async (work, options = {}, beforeCommit) => {
      refuseExpired()
      const scope = currentScope()
      if (!scope) return runTransaction(environmentOf(options), work, beforeCommit)
      const environment =
        scope.kind === 'action'
          ? await inOpenAction(scope.transaction, options)
          : environmentIn(scope, options)
      return runTransaction(environment, work, beforeCommit)
    },
    join: (called) => {
      const scope = currentScope()
      if (!scope) return called
      return (scope.kind === 'action' ? scope.transaction : scope.running.calls).track(called)
    },
    refuseInTransaction: (call) => {
      const scope = currentScope()
      if (!scope || (scope.kind === 'action' && !scope.transaction.isOpen)) return
      throw new TypeError(
        `${call} begins transactions of its own, so code in a transaction cannot call it. Use items.`,
      )
    },
    codeScopeNumber: () => currentScope()?.number,
    runOutside: (work) => scopes.runOutside(work),
    withItems: (transaction, source, work) => {
      const calls = new CodeCalls(hookTimeoutMs)
      const running: RunningTransaction = { transaction, source, calls }
      const items = lazy(() =>
        itemsFor(transactionEnvironment(service, actorServices(service), running, calls)),
      )
      return calls.runCode(() =>
        scopes.run({ kind: 'transaction', running, number: ++scopeCount }, () =>
          work((model) => items()(model), running),
        ),
      )
    },
    runInAction: (transaction, code) =>
      scopes.run(
        { kind: 'action', transaction, outer: currentScope(), number: ++scopeCount },
        code,
      ),
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
    new OperationStore(
      services.wholeStore,
      allowManyChanges(caller),
      services.writeObservers,
      () => source,
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
          const calls = new CodeCalls(services.hookTimeoutMs)
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
  // Hooks write through it too.
  const transaction = current.transaction.usedBy(calls)
  const environment: TransactionEnvironment = {
    actor,
    calls,
    ...actorServices,
    reader: lockingReader(readerOfActor(transaction, actor, actorServices), transaction),
    cause,
    withApprovals: withApprovalsInTransaction,
    run: (sentItem, operation) =>
      operation({
        store: transaction.forOperation(() => ({ ...source, sentItem })),
        validations,
      }),
    inTransaction: (work) => work(environment, current),
  }
  return environment
}

/** A caller sees as much in a transaction as elsewhere. */
function readerOfActor(
  transaction: StoreTransaction,
  actor: Actor,
  { services }: ActorServices,
): StoreReader {
  const reader = readerOf(transaction)
  return actor.kind === 'caller'
    ? readerForCaller(reader, services.guards.fields, actor.context)
    : reader
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

function contextOf(actor: Actor): Context | undefined {
  return actor.kind === 'caller' ? actor.context : undefined
}

/** Code of the service has no client that could leave. */
function callerOf(actor: Actor): StoreCall {
  return contextOf(actor) ?? { signal: new AbortController().signal }
}
