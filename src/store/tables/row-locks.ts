import type { ModelDescription } from '../../model/model-description.ts'
import { compareText } from '../../query/compare.ts'
import { idIsAnyOf } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import { isIdPath } from '../sql/index-scan.ts'
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
   * for, also in join tables.
   */
  lock(model: ModelDescription, condition: Condition): readonly Statement[] {
    const { engine, tableOf, queries } = this.#context
    if (engine.lockRows === '' || !tableOf(model).isLockable) return []
    return [queries.lock(model, idConditionIn(condition) ?? condition)]
  }

  /** The same, and nothing for an item that `lockAll` has locked. */
  lockOnce(model: ModelDescription, condition: Condition): readonly Statement[] {
    return this.#isHeld(model, condition) ? [] : this.lock(model, condition)
  }

  /**
   * Locks items before the first of them is written: tables by their names, rows by their ids, so
   * that transactions do not wait for each other in a circle.
   */
  async lockAll(items: readonly ItemIds[]): Promise<void> {
    const { engine, tableOf, queries, lockInProcess } = this.#context
    if (engine.lockRows === '') return
    const lockable = items
      .map(({ model, ids }) => ({ model, ids, table: tableOf(model) }))
      .filter(({ ids, table }) => ids.length > 0 && table.isLockable)
      .toSorted((one, other) => compareText(one.table.sql, other.table.sql))
    if (lockable.length === 0) return
    lockInProcess(lockable.flatMap(({ model, ids }) => ids.map((id) => itemKey(model, id))))
    const results = await this.#session.run(
      lockable.map(({ model, ids }) => queries.lockInOrder(model, idIsAnyOf(ids))),
    )
    for (const [index, { model, table }] of lockable.entries())
      for (const [id] of results[index]!.rows)
        this.#held.add(itemKey(model, String(table.idCodec.decode(id))))
  }

  #isHeld(model: ModelDescription, condition: Condition): boolean {
    if (this.#held.size === 0) return false
    const id = idConditionIn(condition)?.value
    return typeof id === 'string' && this.#held.has(itemKey(model, id))
  }
}

/** The part of a condition that names the id of one item. */
function idConditionIn(condition: Condition): Extract<Condition, { kind: 'compare' }> | undefined {
  if (condition.kind === 'and')
    return condition.conditions.map(idConditionIn).find((part) => part !== undefined)
  if (condition.kind !== 'compare' || condition.operator !== 'equal') return undefined
  return isIdPath(condition.path) ? condition : undefined
}
