import type { ManyRelation, ModelDescription } from '../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../query/query-plan.ts'
import { createStoredItem } from '../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import type { RequestRecordWriter } from './request-records.ts'
import type { Store, StoreAccess } from './store.ts'
import type { StoreCall } from './store-call.ts'
import type { RelatedStoredItem, StoredPage, StoreReader } from './store-reader.ts'
import type {
  ExpectedCount,
  InsertOptions,
  ItemCount,
  ItemIds,
  StoreTransaction,
  TransactionFastPaths,
  TransactionLocks,
  WriteOptions,
  WriteOutcome,
} from './store-transaction.ts'
import type { UnitOfWork } from './unit-of-work.ts'

/** Requires optional members too, so that a wrapper which forgets one does not compile. */
export type EveryMember<S> = { readonly [K in keyof Required<S>]: S[K] }

const readerMembers: MemberNames<StoreReader> = {
  find: true,
  list: true,
  page: true,
  count: true,
  relatedPages: true,
}
const storeMembers: MemberNames<Store> = {
  ...readerMembers,
  write: true,
  open: true,
  close: true,
  facts: true,
  fastPaths: true,
  admin: true,
  notes: true,
  requestRecords: true,
}

type MemberNames<S> = Readonly<Record<keyof S, true>>

/** The store with some of its members replaced; a group of members as a whole. */
export function wrapStore(store: Store, replacements: Partial<Store>): Store {
  return wrapMembers(store, storeMembers, replacements)
}

/**
 * Passes every call on to a transaction. Wrappers override what they change. A class, because each
 * write creates several of them.
 */
export class TransactionWrapper
  implements EveryMember<StoreTransaction>, TransactionFastPaths, TransactionLocks, UnitOfWork
{
  protected readonly inner: StoreTransaction

  constructor(inner: StoreTransaction) {
    this.inner = inner
  }

  find(
    model: ModelDescription,
    condition: Condition,
    call?: StoreCall,
  ): Promise<StoredItem | undefined> {
    return this.inner.find(model, condition, call)
  }

  list(
    model: ModelDescription,
    plan: QueryPlan,
    call?: StoreCall,
  ): AsyncIterable<readonly StoredItem[]> {
    return this.inner.list(model, plan, call)
  }

  page(model: ModelDescription, plan: QueryPlan, call?: StoreCall): Promise<StoredPage> {
    return this.inner.page(model, plan, call)
  }

  count(model: ModelDescription, condition: Condition, call?: StoreCall): Promise<number> {
    return this.inner.count(model, condition, call)
  }

  /** The wrapper itself, so that no write creates more objects. */
  get fastPaths(): TransactionFastPaths {
    return this
  }

  countEach(counts: readonly ItemCount[]): Promise<readonly number[]> {
    return countEach(this.inner, counts)
  }

  expectCounts(counts: readonly ExpectedCount[]): boolean {
    return this.inner.fastPaths?.expectCounts?.(counts) ?? false
  }

  get locks(): TransactionLocks {
    return this
  }

  async lockItems(model: ModelDescription, condition: Condition): Promise<void> {
    await this.inner.locks?.lockItems(model, condition)
  }

  async lockForWrite(itemsOf: () => readonly ItemIds[]): Promise<void> {
    await this.inner.locks?.lockForWrite(itemsOf)
  }

  relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
    call?: StoreCall,
  ): AsyncIterable<readonly RelatedStoredItem[]> {
    return this.inner.relatedPages(model, relation, owners, plan, call)
  }

  insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    return this.inner.insert(model, item, options)
  }

  replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    return this.inner.replace(model, item, options)
  }

  remove(model: ModelDescription, id: string): Promise<void> {
    return this.inner.remove(model, id)
  }

  get requestRecords(): RequestRecordWriter | undefined {
    return this.inner.requestRecords
  }

  insertValues(
    model: ModelDescription,
    values: StoredValues,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    return this.insert(model, createStoredItem(model, values, 1), options)
  }

  latest(_: ModelDescription, writtenItem: StoredItem): StoredItem {
    return writtenItem
  }

  over(wrap: (inner: UnitOfWork) => UnitOfWork): UnitOfWork {
    return wrap(this)
  }

  forOperation(_: object): UnitOfWork {
    return this
  }
}

/** Counts with one call where the store can. */
export function countEach(
  transaction: StoreTransaction,
  counts: readonly ItemCount[],
): Promise<readonly number[]> {
  return transaction.fastPaths?.countEach?.(counts) ?? countInTurn(transaction, counts)
}

async function countInTurn(
  transaction: StoreTransaction,
  counts: readonly ItemCount[],
): Promise<readonly number[]> {
  const results: number[] = []
  for (const { model, condition } of counts) results.push(await transaction.count(model, condition))
  return results
}

/**
 * A transaction under way as a store: writes are part of it. It has no fast paths, because those
 * read what is committed.
 */
export function transactionAccess(unit: UnitOfWork): StoreAccess {
  const unfinished = new UnfinishedTransaction(unit)
  return { ...readerOf(unit), write: (work) => work(unfinished) }
}

/** What is the last write of one work is not the last one of the transaction. */
export class UnfinishedTransaction extends TransactionWrapper {
  readonly #unit: UnitOfWork

  constructor(unit: UnitOfWork) {
    super(unit)
    this.#unit = unit
  }

  override insertValues(
    model: ModelDescription,
    values: StoredValues,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    return this.#unit.insertValues(model, values, { ...options, isLast: false })
  }

  override latest(model: ModelDescription, writtenItem: StoredItem): StoredItem {
    return this.#unit.latest(model, writtenItem)
  }

  override over(wrap: (inner: UnitOfWork) => UnitOfWork): UnitOfWork {
    return new UnfinishedTransaction(this.#unit.over(wrap))
  }

  override forOperation(source: object): UnitOfWork {
    return new UnfinishedTransaction(this.#unit.forOperation(source))
  }

  override insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    return this.inner.insert(model, item, { ...options, isLast: false })
  }

  override replace(model: ModelDescription, item: StoredItem): Promise<WriteOutcome> {
    return this.inner.replace(model, item)
  }
}

/** The reading methods of a transaction. */
export function readerOf(transaction: StoreTransaction): StoreReader {
  return wrapMembers<StoreReader>(transaction, readerMembers, {})
}

function wrapMembers<S extends object>(
  inner: S,
  names: MemberNames<S>,
  replacements: Partial<S>,
): S {
  const wrapped: Partial<S> = {}
  for (const name of Object.keys(names) as (keyof S)[]) {
    const member = inner[name]
    // Bound, because a store may be an instance of a class.
    if (member !== undefined)
      wrapped[name] = typeof member === 'function' ? member.bind(inner) : member
  }
  return { ...wrapped, ...replacements } as S
}
