import type { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { GroupPlan, ItemGroup } from '../../query/group-plan.ts'
import type {
  Condition,
  FieldPath,
  OffsetPlan,
  QueryPlan,
  SortKey,
} from '../../query/query-plan.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { RelatedStoredItem, StoredPage, StoreReader } from '../../store/store-reader.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { WriteObserver } from '../../store/write-observer.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { type RememberedItems, rememberItem } from './remembered-items.ts'

/** Code of the service that runs in a transaction. */
export interface RunningCode<Unit = unknown> extends WriteObserver<Unit> {
  /** Runs a statement of the transaction: the code does something meanwhile. */
  statement<T>(run: () => Promise<T>): Promise<T>
}

/** What all operations of one transaction share. */
export interface UnitParts {
  readonly transaction: StoreTransaction
  readonly call: StoreCall | undefined
  readonly slice: TimeSlice
  readonly items: RememberedItems
  /** Can an item that was written change again, by code that runs after the write? */
  readonly runsCode: boolean
  /** Does the store count what a write relies on? */
  readonly checksWrites: boolean
}

/**
 * Reads in a transaction: it yields to other requests between statements, and stops when its caller
 * leaves. Items of models that observers watch are remembered, and not read again before a write.
 */
export class UnitReader<Unit> implements StoreReader {
  protected readonly parts: UnitParts
  protected readonly observers: readonly WriteObserver<Unit>[]
  protected readonly code: readonly RunningCode<Unit>[]

  constructor(
    parts: UnitParts,
    observers: readonly WriteObserver<Unit>[],
    code: readonly RunningCode<Unit>[],
  ) {
    this.parts = parts
    this.observers = observers
    this.code = code
  }

  find(model: ModelDescription, condition: Condition): Promise<StoredItem | undefined> {
    const settled = this.settleFor(model, condition, 'items')
    if (settled) return settled.then(() => this.find(model, condition))
    const { transaction, items } = this.parts
    const found = this.run(() => transaction.find(model, condition))
    if (!this.watches(model)) return found
    return found.then((item) => {
      if (item) rememberItem(items, model, item)
      return item
    })
  }

  async *list(model: ModelDescription, plan: QueryPlan): AsyncGenerator<readonly StoredItem[]> {
    const settled = this.settleFor(model, plan.condition, 'items', plan.sort)
    if (settled) await settled
    const { transaction, call, items } = this.parts
    const remembers = this.preparerOf(model) !== undefined
    for await (const batch of this.#batches(transaction.list(model, plan, call))) {
      if (remembers) for (const item of batch) rememberItem(items, model, item)
      yield batch
    }
  }

  page(model: ModelDescription, plan: QueryPlan): Promise<StoredPage> {
    const settled = this.settleFor(model, plan.condition, 'items', plan.sort)
    if (settled) return settled.then(() => this.page(model, plan))
    const { transaction, call } = this.parts
    return this.run(() => transaction.page(model, plan, call))
  }

  count(model: ModelDescription, condition: Condition): Promise<number> {
    const settled = this.settleFor(model, condition, 'number')
    if (settled) return settled.then(() => this.count(model, condition))
    const { transaction, call } = this.parts
    return this.run(() => transaction.count(model, condition, call))
  }

  groups(model: ModelDescription, plan: GroupPlan): Promise<readonly ItemGroup[]> {
    const compared = [...plan.by, ...plan.aggregates].map(({ path }) => ascending(path))
    const settled = this.settleFor(model, plan.condition, 'items', compared)
    if (settled) return settled.then(() => this.groups(model, plan))
    const { transaction, call } = this.parts
    return this.run(() => transaction.groups(model, plan, call))
  }

  async *relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
  ): AsyncGenerator<readonly RelatedStoredItem[]> {
    const settled = this.settleFor(relation.relatedModel, plan.condition, 'items', plan.sort)
    if (settled) await settled
    const { transaction, call } = this.parts
    yield* this.#batches(transaction.relatedPages(model, relation, owners, plan, call))
  }

  /** The item with the writes of this unit; undefined if it is not known, or was removed. */
  known(model: ModelDescription, id: string): StoredItem | undefined {
    return this.parts.items.get(model)?.get(id)
  }

  /** Lets observers write what they have put off, if the read could show it; rarely a promise. */
  protected settleFor(
    model: ModelDescription,
    condition: Condition,
    reads: 'items' | 'number',
    sort: readonly SortKey[] = unsorted,
  ): Promise<void> | undefined {
    for (const observer of this.observers)
      if (observer.isUnsettledFor?.(model, condition, reads, sort)) return this.settle()
    return undefined
  }

  /** Lets observers write what they have put off; undefined if that is nothing, as most times. */
  settle(): Promise<void> | undefined {
    for (const observer of this.observers) if (observer.isUnsettled?.()) return this.#settleAll()
    return undefined
  }

  protected watches(model: ModelDescription): boolean {
    for (const { watched } of this.observers) if (watched?.has(model)) return true
    return false
  }

  protected preparerOf(model: ModelDescription): WriteObserver<Unit> | undefined {
    for (const observer of this.observers)
      if (observer.prepare && observer.watched?.has(model)) return observer
    return undefined
  }

  protected run<T>(statement: () => Promise<T>): Promise<T> {
    const { slice } = this.parts
    if (slice.isOver) return this.#runInCode(() => slice.yieldToEventLoop().then(statement))
    return this.code.length === 0 ? statement() : this.#runInCode(statement)
  }

  async #settleAll(): Promise<void> {
    for (const observer of this.observers)
      if (observer.settle) await this.run(() => observer.settle!(this as unknown as Unit))
  }

  async *#batches<T>(batches: AsyncIterable<T>): AsyncGenerator<T> {
    const { slice } = this.parts
    const iterator = batches[Symbol.asyncIterator]()
    try {
      for (;;) {
        const batch = await this.#runInCode(() => iterator.next())
        if (batch.done) return
        yield batch.value
        if (slice.isOver) await slice.yieldToEventLoop()
      }
    } finally {
      await iterator.return?.()
    }
  }

  #runInCode<T>(statement: () => Promise<T>): Promise<T> {
    let run = statement
    for (const code of this.code) {
      const inner = run
      run = () => code.statement(inner)
    }
    return run()
  }
}

const unsorted: readonly SortKey[] = Object.freeze([])

function ascending(path: FieldPath): SortKey {
  return { path, direction: 'asc' }
}
