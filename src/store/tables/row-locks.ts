import { isPromise } from '../../concurrency/is-promise.ts'
import { compareForLocks } from '../../model/lock-order.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso, idIsAnyOf } from '../../query/conditions.ts'
import { idIn } from '../../query/id-in.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { ItemIds } from '../store-transaction.ts'
import type { TransactionContext } from './transaction-context.ts'
import type { WriteSession } from './write-session.ts'

/** The locks of a transaction on the rows that it changes, where the engine has such locks. */
export class RowLocks {
  readonly #context: TransactionContext
  readonly #session: WriteSession
  /** The items that `lockAll` has found. */
  readonly #held = new Set<string>()

  constructor(context: TransactionContext, session: WriteSession) {
    this.#context = context
    this.#session = session
  }

  /**
   * A statement of its own: the next one sees what the transactions committed that this one waited
   * for, also in join tables. It locks nothing that the condition hides, so that waiting does not
   * tell that a hidden item exists.
   */
  lock(model: ModelDescription, condition: Condition): readonly Statement[] {
    const { engine, tableOf, queries } = this.#context
    if (engine.lockRows === '' || !tableOf(model).isLockable) return []
    return [queries.lock(model, condition)]
  }

  /** The same, and nothing for an item that `lockAll` has locked. */
  lockOnce(model: ModelDescription, condition: Condition): readonly Statement[] {
    return this.#isHeld(model, condition) ? [] : this.lock(model, condition)
  }

  /**
   * Locks items before the first of them is written: models in one order, rows by their ids, so
   * that transactions do not wait for each other in a circle. If `itemsOf` returns a promise, it
   * has read which items these are, and others may have changed that until they are locked. So it
   * is called again: if it finds further items, the locks are given back, and all items are locked
   * in their order.
   * @param isUnderWay can it not run again from its beginning, after waiting in this process?
   */
  async lockAll(
    itemsOf: () => readonly ItemIds[] | Promise<readonly ItemIds[]>,
    isUnderWay: boolean,
  ): Promise<void> {
    const { engine, lockInProcess } = this.#context
    if (engine.lockRows === '') return
    const items = itemsOf()
    const mayChange = isPromise(items)
    const ids: IdsByModel = new Map()
    if (!addIds(ids, await this.#visible(await items))) return
    if (!isUnderWay) lockInProcess(keysOf(ids))
    for (let attempt = 1; ; attempt++) {
      // Without savepoints the locks stay, and what this leads to ends as a deadlock.
      const canGiveBack = mayChange && engine.hasSavepoints
      const before = !canGiveBack ? [] : attempt === 1 ? [setSavepoint] : [giveBack]
      const held = await this.#lockInOrder(ids, before)
      const isLast = !mayChange || attempt === maxAttempts
      if (isLast || !addIds(ids, await this.#visible(await itemsOf()))) {
        for (const key of held) this.#held.add(key)
        return
      }
    }
  }

  /** @returns the keys of those that exist */
  async #lockInOrder(ids: IdsByModel, before: readonly Statement[]): Promise<readonly string[]> {
    const { engine, tableOf, queries } = this.#context
    const inOrder = [...ids].toSorted(([one], [other]) => compareForLocks(one, other))
    const locks = inOrder.flatMap(([model, ofModel]) =>
      setsOf(ofModel, engine.locksSeveralRows).map((set) => ({
        model,
        statement: queries.lockInOrder(model, idIsAnyOf(set)),
      })),
    )
    const statements = locks.map(({ statement }) => statement)
    const results = await this.#session.run([...before, ...statements])
    return locks.flatMap(({ model }, index) =>
      results[before.length + index]!.rows.map(([id]) =>
        itemKey(model, String(tableOf(model).idCodec.decode(id))),
      ),
    )
  }

  /**
   * The items that can be locked and that satisfy their condition. They are read before anything is
   * locked, so that nobody waits for such an item, or keeps others waiting for it.
   */
  async #visible(named: readonly ItemIds[]): Promise<readonly ItemIds[]> {
    const { tableOf, queries } = this.#context
    const items = named.filter(({ model, ids }) => ids.length > 0 && tableOf(model).isLockable)
    const guarded = items.filter(({ condition }) => condition !== undefined)
    if (guarded.length === 0) return items
    const results = await this.#session.run(
      guarded.map(({ model, ids, condition }) =>
        queries
          .list(model, { ...allItemsPlan, condition: andAlso(idIsAnyOf(ids), condition!) })
          .ids(),
      ),
    )
    const visibleItems = guarded.map(({ model }, index) => ({
      model,
      ids: results[index]!.rows.map(([id]) => String(tableOf(model).idCodec.decode(id))),
    }))
    return [...items.filter(({ condition }) => condition === undefined), ...visibleItems]
  }

  #isHeld(model: ModelDescription, condition: Condition): boolean {
    if (this.#held.size === 0) return false
    const id = idIn(condition)
    return typeof id === 'string' && this.#held.has(itemKey(model, id))
  }
}

type IdsByModel = Map<ModelDescription, Set<string>>

/** The more often others change what relates to what, the more items are locked. */
const maxAttempts = 10

/** The commit releases it. Until then, each row has the locks and the change of one transaction. */
const setSavepoint: Statement = { sql: 'savepoint locks', parameters: [] }
const giveBack: Statement = { sql: 'rollback to savepoint locks', parameters: [] }

/** What one statement locks each; all statements in the same order of ids. */
function setsOf(
  ids: ReadonlySet<string>,
  locksSeveralRows: boolean,
): readonly (readonly string[])[] {
  return locksSeveralRows ? [[...ids]] : [...ids].toSorted().map((id) => [id])
}

function keysOf(ids: IdsByModel): readonly string[] {
  return Array.from(ids, ([model, ofModel]) => [...ofModel].map((id) => itemKey(model, id))).flat()
}

/** @returns was any of them missing? */
function addIds(ids: IdsByModel, items: readonly ItemIds[]): boolean {
  let isAdded = false
  for (const { model, ids: added } of items) {
    const ofModel = ids.get(model) ?? new Set()
    for (const id of added) {
      isAdded ||= !ofModel.has(id)
      ofModel.add(id)
    }
    if (ofModel.size > 0) ids.set(model, ofModel)
  }
  return isAdded
}
