import { hash } from 'node:crypto'
import type { TableName } from '../../model/storage.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine, LockMode, Locks } from '../tables/engine.ts'
import { lockTable } from '../tables/lock-table.ts'
import { tableQuoter } from '../tables/table-quoter.ts'
import { quoteIdentifier } from './dialect.ts'

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
export const slotLocking: Pick<Engine, 'createLockTable' | 'lockSchema' | 'tryLockSchema'> & {
  readonly locks: Locks
} = {
  createLockTable: [...createSlots, grant],
  // Of two first starts that create the table, one fails, and starts again.
  lockSchema: [
    ...createSlots,
    `select 1 from ${name} where slot = ${schemaSlot} for update`,
    grant,
  ],
  tryLockSchema: undefined,
  locks: {
    table: (table, mode) => lockSlots([slotOf(tableSlots, nameOf(table))], mode),
    values: (table, values, mode) =>
      lockSlots(
        values.map((value) => slotOf(valueSlots, `${nameOf(table)}.${value}`)),
        mode,
      ),
  },
}

const lockEnds: Readonly<Record<LockMode, string>> = {
  shared: 'for share',
  exclusive: 'for update',
}

/** In the order of slots, so that transactions with the same values do not wait for each other. */
function lockSlots(slots: readonly number[], mode: LockMode): Statement {
  const end = lockEnds[mode]
  const [slot] = slots
  if (slots.length === 1)
    return { sql: `select 1 from ${name} where slot = $1 ${end}`, parameters: [slot] }
  return {
    sql: `select 1 from ${name} where slot = any ($1::integer[]) order by slot ${end}`,
    parameters: [slots],
  }
}

function slotOf({ first, count }: typeof tableSlots, text: string): number {
  return first + (hash('sha256', text, 'buffer').readUInt32BE() % count)
}

function nameOf({ schema, name: table }: TableName): string {
  return `${schema ?? ''}.${table}`
}
