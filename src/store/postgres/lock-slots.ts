import { hash } from 'node:crypto'
import type { TableName } from '../../model/storage.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine, LockMode, Locks } from '../tables/engine.ts'
import type { LockValue } from '../tables/lock-fields.ts'
import { lockTable } from '../tables/lock-table.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { quoteIdentifier } from './dialect.ts'
import type { ServerFeature } from './server-features.ts'

/** One lock for changes of tables, some for tables, and more for values. */
const schemaSlot = 0
const tableSlots = { first: 1, count: 1_023 }
const valueSlots = { first: 1_024, count: 3_072 }
const slotCount = valueSlots.first + valueSlots.count

const name = tableQuoter(quoteIdentifier)(lockTable)

const createSlots = [
  `create table if not exists ${name} (slot integer primary key, note text)`,
  `insert into ${name} (slot) select slot from generate_series(0, ${slotCount - 1}) as slot on conflict do nothing`,
]
const grant = `grant select, update (note) on ${name} to public`

/**
 * Locks that are rows of a table of the store, for servers without advisory locks. There is a row
 * for each slot, and hashes choose the slots: tables or values with the same one wait for one
 * another, and nothing else happens.
 *
 * Roles of callers lock rows too, so that everybody may, as everybody may take an advisory lock.
 * This needs the right to change a column; nobody reads that one.
 */
export const slotLocking: Pick<Engine, 'createLockTable' | 'lockSchema' | 'tryLockSchema'> = {
  createLockTable: [...createSlots, grant],
  // Of two first starts that create the table, one fails, and starts again.
  lockSchema: [
    ...createSlots,
    `select 1 from ${name} where slot = ${schemaSlot} for update`,
    grant,
  ],
  tryLockSchema: undefined,
}

/**
 * The locks of transactions, by what locks of rows the server has. Without `for share` all locks
 * are exclusive: transactions that list or count items of one table wait for one another.
 */
export function slotLocks(lacks: ReadonlySet<ServerFeature>): Locks {
  const ends: Readonly<Record<LockMode, string>> = {
    shared: lacks.has('sharedRowLocks') ? 'for update' : 'for share',
    exclusive: 'for update',
  }
  const lockSlot = (slot: number, mode: LockMode): Statement => ({
    sql: `select 1 from ${name} where slot = $1 ${ends[mode]}`,
    parameters: [slot],
  })
  const locksEach = lacks.has('locksOfSeveralRows')
  return {
    table: (table, mode) => lockSlot(slotOf(tableSlots, nameOf(table)), mode),
    values(table, values, mode) {
      const slots = slotsOf(table, values)
      if (locksEach || slots.length === 1) return slots.map((slot) => lockSlot(slot, mode))
      const sql = `select 1 from ${name} where slot = any ($1::integer[]) order by slot ${ends[mode]}`
      return [{ sql, parameters: [slots] }]
    },
  }
}

/** In one order, so that transactions with the same values do not wait for each other. */
function slotsOf(table: TableName, values: readonly LockValue[]): readonly number[] {
  const slots = values.map((value) => slotOf(valueSlots, `${nameOf(table)}.${value}`))
  return [...new Set(slots)].sort((one, other) => one - other)
}

function slotOf({ first, count }: typeof tableSlots, text: string): number {
  return first + (hash('sha256', text, 'buffer').readUInt32BE() % count)
}

function nameOf({ schema, name: table }: TableName): string {
  return `${schema ?? ''}.${table}`
}
