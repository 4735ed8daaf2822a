import type { MaybePromise } from '../../concurrency/maybe-promise.ts'
import { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { changeRefused } from '../../store/refused-change.ts'
import type { RequestRecordWriter } from '../../store/request-records.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { ItemIds, StoreTransaction, TransactionLocks } from '../../store/store-transaction.ts'
import type { ItemChange, ItemDraft, WriteObserver } from '../../store/write-observer.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { rememberItem } from './remembered-items.ts'
import type { RunningCode, UnitParts } from './unit-reader.ts'
import { type UnitOutcome, type UnitWriteOptions, UnitWriter } from './unit-writer.ts'
import type { SourceOf, WriteSource } from './write-source.ts'

/**
 * A transaction as operations use it: its observers take part in each write. It yields to other
 * requests, and stops when its caller leaves.
 */
export class UnitOfWork extends UnitWriter<UnitOfWork> implements StoreTransaction {
  readonly #sourceOf: SourceOf | undefined
  #source: WriteSource | undefined

  private constructor(
    parts: UnitParts,
    observers: readonly WriteObserver<UnitOfWork>[],
    code: readonly RunningCode<UnitOfWork>[],
    sourceOf: SourceOf | undefined,
    isWhole: boolean,
  ) {
    super(parts, observers, code, isWhole)
    this.#sourceOf = sourceOf
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
      : this.writeItem({ kind: 'update', model, id: item.id, before, after: item }, options)
  }

  async remove(model: ModelDescription, id: string): Promise<void> {
    await this.verifyAll()
    const isWatched = this.watches(model)
    const before = isWatched ? await this.previous(model, id) : undefined
    if (before)
      await this.preparerOf(model)?.prepare?.(this, {
        kind: 'delete',
        model,
        values: undefined,
        before,
      })
    const change: ItemChange = { kind: 'delete', model, id, before, after: undefined }
    await this.removeItem(change, before !== undefined || !isWatched)
  }

  /**
   * The written item as it will be committed: code may have changed it once more, and items that
   * relate to it its rollups.
   */
  latest(model: ModelDescription, writtenItem: StoredItem): MaybePromise<StoredItem> {
    const hasRollups = model.rollupFields.length > 0
    if (!hasRollups && !this.parts.runsCode) return writtenItem
    const { id } = writtenItem
    const latest = () => this.known(model, id) ?? writtenItem
    const settled = hasRollups ? this.settleFor(model, idEquals(id), 'items') : undefined
    return settled ? settled.then(latest) : latest()
  }

  /** The transaction of the store, for what the service itself keeps of items. */
  get unobserved(): StoreTransaction {
    return this.parts.transaction
  }

  /**
   * Writes an item with values that the service has computed of others: no hook, limit or version
   * takes part, and the log of changes has it.
   * @throws ApiError `invalid-member` if a rule of the database refuses them; it names no field,
   * because who has written the others may not see this item
   */
  async replaceComputed(
    model: ModelDescription,
    before: StoredItem,
    after: StoredItem,
  ): Promise<void> {
    const { transaction, items } = this.parts
    const outcome = await transaction.replace(model, after)
    if (outcome.kind !== 'written') throw changeRefused()
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

  /** Locks items before the first of them is read. */
  lockFirst(itemsOf: () => MaybePromise<readonly ItemIds[]>): Promise<void> | undefined {
    const { locks } = this.parts.transaction
    return locks && this.run(() => locks.lockForWrite(itemsOf, true))
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
    return this.writeItem(
      { kind: 'create', model, id: after.id, before: undefined, after },
      options,
    )
  }

  async #replaceWatched(
    model: ModelDescription,
    item: StoredItem,
    options: UnitWriteOptions | undefined,
  ): Promise<UnitOutcome> {
    const { id } = item
    const before = await this.previous(model, id)
    // A store reports what is not there.
    if (!before)
      return this.send(
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
    return this.writeItem({ kind: 'update', model, id, before, after }, options)
  }
}
