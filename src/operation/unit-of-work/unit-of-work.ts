import { chain, type MaybePromise } from '../../concurrency/maybe-promise.ts'
import { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { RequestRecordWriter } from '../../store/request-records.ts'
import { emptyRollups } from '../../store/rollups/write-rollups.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type {
  InsertOptions,
  ItemCount,
  StoreTransaction,
  TransactionLocks,
  WriteOutcome,
} from '../../store/store-transaction.ts'
import type {
  ItemChange,
  ItemDraft,
  RefusedWrite,
  WriteObserver,
} from '../../store/write-observer.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { withRollups, withRollupsOf } from '../../stored-item/rollup-values.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { rememberItem } from './remembered-items.ts'
import { type RunningCode, type UnitParts, UnitReader } from './unit-reader.ts'
import {
  countEachIn,
  verifyAfterError,
  verifyCheck,
  verifyChecks,
  type WriteCheck,
} from './write-check.ts'
import type { SourceOf, WriteSource } from './write-source.ts'

/** The outcome of a write whose checks hold. */
export type UnitOutcome = Exclude<WriteOutcome, { kind: 'unmet' }>

/** What an operation says of a write. The unit adds what is checked with it. */
export type UnitWriteOptions = Pick<InsertOptions, 'rest' | 'id'>

const noChecks: readonly WriteCheck[] = Object.freeze([])

/**
 * A transaction as operations use it: its observers take part in each write. It yields to other
 * requests, and stops when its caller leaves.
 */
export class UnitOfWork extends UnitReader<UnitOfWork> implements StoreTransaction {
  readonly #sourceOf: SourceOf | undefined
  #source: WriteSource | undefined
  /** Does the transaction end with the work that uses this object? */
  readonly #isWhole: boolean
  #checks: readonly WriteCheck[] = noChecks

  private constructor(
    parts: UnitParts,
    observers: readonly WriteObserver<UnitOfWork>[],
    code: readonly RunningCode<UnitOfWork>[],
    sourceOf: SourceOf | undefined,
    isWhole: boolean,
  ) {
    super(parts, observers, code)
    this.#sourceOf = sourceOf
    this.#isWhole = isWhole
  }

  static begin(
    transaction: StoreTransaction,
    observers: readonly WriteObserver<UnitOfWork>[],
    sourceOf: SourceOf | undefined,
    call: StoreCall | undefined,
  ): UnitOfWork {
    let runsCode = false
    for (const { afterWrite } of observers) runsCode ||= afterWrite !== undefined
    const checksWrites = transaction.fastPaths?.checksWrites === true
    const slice = new TimeSlice(call, { holdsLock: true })
    const parts = { transaction, call, slice, items: new Map(), runsCode, checksWrites }
    return new UnitOfWork(parts, observers, [], sourceOf, true)
  }

  /** What the writes of the operation have in common; undefined where items are loaded. */
  get source(): WriteSource | undefined {
    this.#source ??= this.#sourceOf?.()
    return this.#source
  }

  /** The same transaction for one of several operations. */
  forOperation(sourceOf: SourceOf | undefined): UnitOfWork {
    return new UnitOfWork(this.parts, this.observers, this.code, sourceOf, false)
  }

  /** The same transaction as used by code that runs in it. */
  usedBy(code: RunningCode<UnitOfWork>): UnitOfWork {
    const observers = [...this.observers, code]
    return new UnitOfWork(this.parts, observers, [...this.code, code], this.#sourceOf, false)
  }

  /**
   * Runs the work of an operation. Checks that no write has taken along are counted at its end,
   * also where it throws: the first problem is the one to report.
   */
  write<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    return this.parts.checksWrites ? this.#writeChecked(work) : work(this)
  }

  /** Runs a check at once, or with the next write where the store counts with it. */
  check(check: WriteCheck): Promise<void> | undefined {
    if (!this.parts.checksWrites) return verifyCheck(check, this)
    this.#checks = [...this.#checks, check]
    return undefined
  }

  countEach(counts: readonly ItemCount[]): Promise<readonly number[]> {
    for (const { model, condition } of counts) {
      const settled = this.settleFor(model, condition, 'number')
      if (settled) return settled.then(() => this.countEach(counts))
    }
    const { transaction } = this.parts
    return this.run(() => countEachIn(transaction, counts))
  }

  /** Adds an item. Its text is made once, after code of the service has changed its values. */
  insertValues(
    model: ModelDescription,
    values: StoredValues,
    options?: UnitWriteOptions,
  ): Promise<UnitOutcome> {
    return this.preparerOf(model)
      ? this.#insertPrepared(model, values, options)
      : this.#create(model, createStoredItem(model, values, 1), options)
  }

  insert(
    model: ModelDescription,
    item: StoredItem,
    options?: UnitWriteOptions,
  ): Promise<UnitOutcome> {
    return this.preparerOf(model)
      ? this.#insertPrepared(model, readStoredValues(model, item), options)
      : this.#create(model, item, options)
  }

  replace(
    model: ModelDescription,
    item: StoredItem,
    options?: UnitWriteOptions,
  ): Promise<UnitOutcome> {
    const isWatched = this.watches(model)
    const before = isWatched ? this.known(model, item.id) : undefined
    return isWatched && (!before || this.preparerOf(model))
      ? this.#replaceWatched(model, item, options)
      : this.#write({ kind: 'update', model, id: item.id, before, after: item }, options)
  }

  async remove(model: ModelDescription, id: string): Promise<void> {
    const { transaction, items } = this.parts
    if (this.#checks.length > 0) await verifyChecks(this.#takeChecks(), this)
    const isWatched = this.watches(model)
    const before = isWatched ? await this.#previous(model, id) : undefined
    if (before)
      await this.preparerOf(model)?.prepare?.(this, {
        kind: 'delete',
        model,
        values: undefined,
        before,
      })
    const change: ItemChange = { kind: 'delete', model, id, before, after: undefined }
    await this.#beforeWrite(change)
    await this.run(() => transaction.remove(model, id))
    items.get(model)?.delete(id)
    if (before || !isWatched) await this.#written(change)
  }

  /** The written item as it will be committed: code may have changed it once more. */
  latest(model: ModelDescription, writtenItem: StoredItem): StoredItem {
    return (this.parts.runsCode && this.known(model, writtenItem.id)) || writtenItem
  }

  /** The transaction of the store, for what the service itself keeps of items. */
  get unobserved(): StoreTransaction {
    return this.parts.transaction
  }

  /**
   * Writes an item with values that the service has computed of others: no hook, limit or version
   * takes part, and the log of changes has it.
   */
  async replaceComputed(
    model: ModelDescription,
    before: StoredItem,
    after: StoredItem,
  ): Promise<void> {
    const { transaction, items } = this.parts
    const outcome = await transaction.replace(model, after)
    if (outcome.kind !== 'written')
      throw new Error(
        `The computed values of the ${model.name} '${after.id}' were not written: ${outcome.kind}.`,
      )
    rememberItem(items, model, outcome.item)
    const change: ItemChange = { kind: 'update', model, id: after.id, before, after: outcome.item }
    for (const observer of this.observers) observer.computed?.(transaction, change, this)
  }

  /** Tells observers that blobs are not needed any more. */
  discard(keys: readonly string[]): void {
    if (keys.length > 0) for (const observer of this.observers) observer.discarded?.(keys)
  }

  /** The unit counts by itself what operations check. */
  get fastPaths(): undefined {
    return undefined
  }

  get locks(): TransactionLocks | undefined {
    return this.parts.transaction.locks
  }

  get requestRecords(): RequestRecordWriter | undefined {
    return this.parts.transaction.requestRecords
  }

  async #insertPrepared(
    model: ModelDescription,
    values: StoredValues,
    options: UnitWriteOptions | undefined,
  ): Promise<UnitOutcome> {
    const draft: ItemDraft = { kind: 'create', model, values, before: undefined }
    const prepared = this.preparerOf(model)?.prepare?.(this, draft)
    const complete = prepared && (await prepared)
    return this.#create(model, createStoredItem(model, complete ?? values, 1), options)
  }

  #create(
    model: ModelDescription,
    after: StoredItem,
    options: UnitWriteOptions | undefined,
  ): Promise<UnitOutcome> {
    return this.#write({ kind: 'create', model, id: after.id, before: undefined, after }, options)
  }

  async #replaceWatched(
    model: ModelDescription,
    item: StoredItem,
    options: UnitWriteOptions | undefined,
  ): Promise<UnitOutcome> {
    const { id } = item
    const before = await this.#previous(model, id)
    // A store reports what is not there.
    if (!before)
      return this.#send(
        { kind: 'update', model, id, before, after: item },
        options,
      ) as Promise<UnitOutcome>
    const preparer = this.preparerOf(model)
    const values = preparer
      ? await preparer.prepare!(this, {
          kind: 'update',
          model,
          values: readStoredValues(model, item),
          before,
        })
      : undefined
    const after = values ? createStoredItem(model, values, item.revision) : item
    return this.#write({ kind: 'update', model, id, before, after }, options)
  }

  async #previous(model: ModelDescription, id: string): Promise<StoredItem | undefined> {
    return this.known(model, id) ?? this.find(model, idEquals(id))
  }

  async #write(intended: ItemChange, options: UnitWriteOptions | undefined): Promise<UnitOutcome> {
    const change =
      intended.model.rollupFields.length === 0 ? intended : await this.#withRollups(intended)
    const checked = this.#beforeWrite(change)
    const refused = checked && (await checked)
    if (refused) return refused
    const checks = this.#checks
    let outcome = await this.#send(change, options)
    if (outcome.kind === 'unmet') {
      for (const { refuse } of checks) await refuse()
      // None has refused it, so the counts are high enough now.
      outcome = await this.#send(change, options)
    }
    if (outcome.kind !== 'written') return outcome as UnitOutcome
    const { items, runsCode } = this.parts
    if (runsCode || change.before) rememberItem(items, change.model, outcome.item)
    const { item } = outcome
    const done = this.#written(item === change.after ? change : writtenChange(change, item))
    if (done) await done
    return outcome
  }

  /** Related items alone change rollups, perhaps since the item was read for this write. */
  async #withRollups(change: ItemChange): Promise<ItemChange> {
    const { kind, model, id, after } = change
    if (kind === 'create')
      return { ...change, after: withRollups(model, after, emptyRollups(model)) }
    const before = await this.#previous(model, id)
    return before && after
      ? { kind: 'update', model, id, before, after: withRollupsOf(model, after, before) }
      : change
  }

  /** Gives the write to the store, with what has to be counted before it. */
  #send(change: ItemChange, options: UnitWriteOptions | undefined): Promise<WriteOutcome> {
    const { transaction } = this.parts
    const { kind, model, after } = change
    const checks = this.#checks
    this.#checks = noChecks
    let isLast = this.#isWhole && options?.rest === 'nothing'
    if (isLast)
      for (const observer of this.observers) if (observer.isFollowed?.(change)) isLast = false
    const sent: InsertOptions = {
      id: options?.id,
      rest: isLast ? 'nothing' : 'more',
      expects: checks.length === 0 ? undefined : checks.flatMap(({ counts }) => counts),
    }
    return this.run(() =>
      kind === 'create'
        ? transaction.insert(model, after, sent)
        : transaction.replace(model, after!, sent),
    )
  }

  /** Returns a promise only if an observer does. */
  #beforeWrite(change: ItemChange, from = 0): MaybePromise<RefusedWrite | undefined> {
    for (let index = from; index < this.observers.length; index++) {
      const refused = this.observers[index]!.beforeWrite?.(this.parts.transaction, change)
      if (refused === undefined) continue
      return chain(refused, (outcome) => outcome ?? this.#beforeWrite(change, index + 1))
    }
    return undefined
  }

  /** The same for what follows a write: code runs once all observers have seen the change. */
  #written(change: ItemChange, from = 0): MaybePromise<void> {
    const count = this.observers.length
    for (let index = from; index < 2 * count; index++) {
      const observer = this.observers[index % count]!
      const done =
        index < count
          ? observer.written?.(this.parts.transaction, change, this)
          : observer.afterWrite?.(this, change)
      if (done !== undefined) return chain(done, () => this.#written(change, index + 1))
    }
  }

  async #writeChecked<T>(work: (unit: UnitOfWork) => Promise<T>): Promise<T> {
    let result: T
    try {
      result = await work(this)
    } catch (error) {
      await verifyAfterError(this.#takeChecks(), this)
      throw error
    }
    await verifyChecks(this.#takeChecks(), this)
    return result
  }

  #takeChecks(): readonly WriteCheck[] {
    const checks = this.#checks
    this.#checks = noChecks
    return checks
  }
}

/** With the item as the store has written it. */
function writtenChange({ kind, model, before }: ItemChange, after: StoredItem): ItemChange {
  return kind === 'create'
    ? { kind, model, id: after.id, before: undefined, after }
    : { kind: 'update', model, id: after.id, before, after }
}
