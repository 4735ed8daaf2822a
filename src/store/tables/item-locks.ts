import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { TableOf } from '../sql/table.ts'
import type { Engine } from './engine.ts'
import type { ItemTable } from './item-table.ts'
import type { LockValue } from './lock-fields.ts'

/** With more values than this, a transaction locks the table: servers limit the number of locks. */
const maxValuesPerTable = 64

/** What a transaction has locked of a table. */
type TableLocks =
  | { readonly kind: 'table' }
  | {
      readonly kind: 'values'
      readonly exclusive: ReadonlySet<LockValue>
      readonly shared: ReadonlySet<LockValue>
    }

/** Items that were written before the first lock of their table; `any` if many, or not known. */
type WrittenItems = readonly StoredItem[] | 'any'

/**
 * The locks of a transaction whose code decides by the items that it lists or counts. It locks a
 * value that these have in common, such as the room of bookings, or else the table. An item that it
 * writes there takes shared locks of all of its values. So another such transaction waits where it
 * would have found the item, and nowhere else.
 */
export class ItemLocks {
  readonly #engine: Engine
  readonly #tableOf: TableOf<ItemTable>
  readonly #locksTables: boolean
  readonly #locks = new Map<ItemTable, TableLocks>()
  readonly #written = new Map<ItemTable, WrittenItems>()

  /**
   * @param locksTables true for a transaction that runs again after a conflict: two that lock
   * values one after the other could conflict each time
   */
  constructor(engine: Engine, tableOf: TableOf<ItemTable>, locksTables: boolean) {
    this.#engine = engine
    this.#tableOf = tableOf
    this.#locksTables = locksTables
  }

  /** Locks what is read. */
  beforeRead(model: ModelDescription, condition: Condition): readonly Statement[] {
    if (!this.#engine.locks) return []
    const table = this.#tableOf(model)
    const locks = this.#locks.get(table)
    if (locks?.kind === 'table') return []
    const value = this.#locksTables ? undefined : table.lockFields.valueIn(condition)
    const written = this.#written.get(table) ?? []
    if (value === undefined || written === 'any') return this.#lockTable(table)
    if (locks?.exclusive.has(value)) return []
    this.#written.delete(table)
    const next = {
      exclusive: new Set(locks?.exclusive).add(value),
      shared: withValuesOf(table, locks?.shared, written),
    }
    return this.#lockValues(table, locks, next)
  }

  /**
   * Locks what is written, if the transaction has read items of the table.
   * @param items the item as it was and as it will be; undefined where that is not known
   */
  beforeWrite(
    model: ModelDescription,
    items: readonly (StoredItem | undefined)[],
  ): readonly Statement[] {
    if (!this.#engine.locks) return []
    const table = this.#tableOf(model)
    const locks = this.#locks.get(table)
    if (locks?.kind === 'table') return []
    const known = items.filter((item) => item !== undefined)
    const isUnknown = known.length < items.length
    if (locks) {
      if (isUnknown) return this.#lockTable(table)
      const shared = withValuesOf(table, locks.shared, known)
      return this.#lockValues(table, locks, { exclusive: locks.exclusive, shared })
    }
    const before = this.#written.get(table) ?? []
    const isTooMany = before.length + known.length > maxValuesPerTable
    this.#written.set(
      table,
      before === 'any' || isUnknown || isTooMany ? 'any' : [...before, ...known],
    )
    return []
  }

  #lockTable(table: ItemTable): readonly Statement[] {
    this.#locks.set(table, { kind: 'table' })
    this.#written.delete(table)
    return [this.#engine.locks!.table(table.layout.table, 'exclusive')]
  }

  #lockValues(
    table: ItemTable,
    before: Extract<TableLocks, { kind: 'values' }> | undefined,
    next: Omit<Extract<TableLocks, { kind: 'values' }>, 'kind'>,
  ): readonly Statement[] {
    const { exclusive, shared } = next
    if (exclusive.size + shared.size > maxValuesPerTable) return this.#lockTable(table)
    this.#locks.set(table, { kind: 'values', exclusive, shared })
    const { locks } = this.#engine
    const added = (mode: 'exclusive' | 'shared'): readonly Statement[] => {
      const values = [...next[mode]].filter(
        (value) => !before?.[mode].has(value) && (mode === 'exclusive' || !exclusive.has(value)),
      )
      // In one order, so that transactions with the same values do not wait for each other.
      return values.length === 0 ? [] : locks!.values(table.layout.table, values.toSorted(), mode)
    }
    return [
      ...(before ? [] : [locks!.table(table.layout.table, 'shared')]),
      ...added('exclusive'),
      ...added('shared'),
    ]
  }
}

function withValuesOf(
  { lockFields }: ItemTable,
  values: ReadonlySet<LockValue> | undefined,
  items: readonly StoredItem[],
): ReadonlySet<LockValue> {
  return new Set([...(values ?? []), ...items.flatMap((item) => lockFields.valuesOf(item))])
}
