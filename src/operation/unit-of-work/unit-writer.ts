import { chain, type MaybePromise } from '../../concurrency/maybe-promise.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { emptyRollups } from '../../store/rollups/write-rollups.ts'
import type {
  InsertOptions,
  ItemCount,
  LogOnly,
  WriteOutcome,
} from '../../store/store-transaction.ts'
import type { ItemChange, RefusedWrite, WriteObserver } from '../../store/write-observer.ts'
import { withRollups, withRollupsOf } from '../../stored-item/rollup-values.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { rememberItem } from './remembered-items.ts'
import { type RunningCode, type UnitParts, UnitReader } from './unit-reader.ts'
import {
  countEachIn,
  verifyAfterError,
  verifyCheck,
  verifyChecks,
  type WriteCheck,
} from './write-check.ts'

/** The outcome of a write whose checks hold. */
export type UnitOutcome = Exclude<WriteOutcome, { kind: 'unmet' }>

/** What an operation says of a write. The unit adds what is checked with it. */
export interface UnitWriteOptions extends Pick<InsertOptions, 'id'> {
  /** As in `WriteOptions`, without what observers do. */
  readonly rest?: 'nothing' | 'more' | undefined
}

const noChecks: readonly WriteCheck[] = Object.freeze([])

/**
 * Gives the writes of a transaction to the store, each with what has to be counted before it. Its
 * observers take part in each.
 */
export class UnitWriter<Unit> extends UnitReader<Unit> {
  /** Does the transaction end with the work that uses this object? */
  readonly #isWhole: boolean
  #checks: readonly WriteCheck[] = noChecks

  constructor(
    parts: UnitParts,
    observers: readonly WriteObserver<Unit>[],
    code: readonly RunningCode<Unit>[],
    isWhole: boolean,
  ) {
    super(parts, observers, code)
    this.#isWhole = isWhole
  }

  /**
   * Runs the work of an operation. Checks that no write has taken along are counted at its end,
   * also where it throws: the first problem is the one to report.
   */
  write<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    return this.parts.checksWrites ? this.#writeChecked(work) : work(this.#unit())
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

  /** Creates or replaces an item, once observers have let it pass. */
  protected async writeItem(
    intended: ItemChange,
    options: UnitWriteOptions | undefined,
  ): Promise<UnitOutcome> {
    const change =
      intended.model.rollupFields.length === 0 ? intended : await this.#withRollups(intended)
    const checked = this.#beforeWrite(change)
    const refused = checked && (await checked)
    if (refused) return refused
    const checks = this.#checks
    let outcome = await this.send(change, options)
    if (outcome.kind === 'unmet') {
      for (const { refuse } of checks) await refuse()
      // None has refused it, so the counts are high enough now.
      outcome = await this.send(change, options)
    }
    if (outcome.kind !== 'written') return outcome as UnitOutcome
    const { items, runsCode } = this.parts
    if (runsCode || change.before) rememberItem(items, change.model, outcome.item)
    const { item } = outcome
    const done = this.#written(item === change.after ? change : writtenChange(change, item))
    if (done) await done
    return outcome
  }

  /**
   * Removes an item. A removal takes no checks along.
   * @param isSeen is the item there, as far as the unit knows?
   */
  protected async removeItem(change: ItemChange, isSeen: boolean): Promise<void> {
    const { transaction, items } = this.parts
    const { model, id } = change
    await this.#beforeWrite(change)
    await this.run(() => transaction.remove(model, id))
    items.get(model)?.delete(id)
    if (isSeen) await this.#written(change)
  }

  /** Counts what no write has taken along. */
  protected async verifyAll(): Promise<void> {
    if (this.#checks.length > 0) await verifyChecks(this.#takeChecks(), this)
  }

  /** The item before a write. */
  protected async previous(model: ModelDescription, id: string): Promise<StoredItem | undefined> {
    return this.known(model, id) ?? this.find(model, idEquals(id))
  }

  /** Related items alone change rollups, perhaps since the item was read for this write. */
  async #withRollups(change: ItemChange): Promise<ItemChange> {
    const { kind, model, id, after } = change
    if (kind === 'create')
      return { ...change, after: withRollups(model, after, emptyRollups(model)) }
    const before = await this.previous(model, id)
    return before && after
      ? { kind: 'update', model, id, before, after: withRollupsOf(model, after, before) }
      : change
  }

  /** Gives the write to the store, with what has to be counted before it. */
  protected send(change: ItemChange, options: UnitWriteOptions | undefined): Promise<WriteOutcome> {
    const { transaction } = this.parts
    const { kind, model, after } = change
    const checks = this.#checks
    this.#checks = noChecks
    const sent: InsertOptions = {
      id: options?.id,
      rest: this.#isWhole && options?.rest === 'nothing' ? this.#restOfObservers(change) : 'more',
      expects: checks.length === 0 ? undefined : checks.flatMap(({ counts }) => counts),
    }
    return this.run(() =>
      kind === 'create'
        ? transaction.insert(model, after, sent)
        : transaction.replace(model, after!, sent),
    )
  }

  #restOfObservers(change: ItemChange): InsertOptions['rest'] {
    let rest: 'nothing' | LogOnly = 'nothing'
    for (const observer of this.observers) {
      if (!observer.isFollowed?.(change)) continue
      const logOnly: LogOnly | undefined = observer.logOnly?.(change, this.#unit())
      if (logOnly === undefined || rest !== 'nothing') return 'more'
      rest = logOnly
    }
    return rest
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
          ? observer.written?.(this.parts.transaction, change, this.#unit())
          : observer.afterWrite?.(this.#unit(), change)
      if (done !== undefined) return chain(done, () => this.#written(change, index + 1))
    }
  }

  async #writeChecked<T>(work: (unit: Unit) => Promise<T>): Promise<T> {
    let result: T
    try {
      result = await work(this.#unit())
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

  /** A subclass is the unit that observers get. */
  #unit(): Unit {
    return this as unknown as Unit
  }
}

/** With the item as the store has written it. */
function writtenChange({ kind, model, before }: ItemChange, after: StoredItem): ItemChange {
  return kind === 'create'
    ? { kind, model, id: after.id, before: undefined, after }
    : { kind: 'update', model, id: after.id, before, after }
}
