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
   * that transactions do not wait for each other in a circle.
   * @param isUnderWay can it not run again from its beginning, after waiting in this process?
   */
  async lockAll(
    itemsOf: () => readonly ItemIds[] | Promise<readonly ItemIds[]>,
    isUnderWay: boolean,
  ): Promise<void> {
    const { engine, tableOf, queries, lockInProcess } = this.#context
    if (engine.lockRows === '') return
    const visibleItems = await this.#withoutHidden(
      (await itemsOf()).filter(({ model, ids }) => ids.length > 0 && tableOf(model).isLockable),
    )
    const lockable = Array.from(idsByModel(visibleItems), ([model, ids]) => ({
      model,
      ids: [...ids],
      table: tableOf(model),
    })).toSorted((one, other) => compareForLocks(one.model, other.model))
    if (lockable.length === 0) return
    if (!isUnderWay)
      lockInProcess(lockable.flatMap(({ model, ids }) => ids.map((id) => itemKey(model, id))))
    const results = await this.#session.run(
      lockable.map(({ model, ids }) => queries.lockInOrder(model, idIsAnyOf(ids))),
    )
    for (const [index, { model, table }] of lockable.entries())
      for (const [id] of results[index]!.rows)
        this.#held.add(itemKey(model, String(table.idCodec.decode(id))))
  }

  /**
   * The items without those that do not satisfy their condition. They are read before anything is
   * locked, so that nobody waits for such an item, or keeps others waiting for it.
   */
  async #withoutHidden(items: readonly ItemIds[]): Promise<readonly ItemIds[]> {
    const { tableOf, queries } = this.#context
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

function idsByModel(items: readonly ItemIds[]): ReadonlyMap<ModelDescription, ReadonlySet<string>> {
  const idsOf = new Map<ModelDescription, Set<string>>()
  for (const { model, ids } of items)
    if (ids.length > 0) idsOf.set(model, new Set([...(idsOf.get(model) ?? []), ...ids]))
  return idsOf
}
