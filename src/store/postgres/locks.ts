import { hash } from 'node:crypto'
import type { TableName } from '../../model/storage.ts'
import type { LockMode, Locks } from '../tables/engine.ts'

/** The first number of the locks of tables, which is this program's: any other has its own. */
const tableLocks = 1_919_251_318

/**
 * Advisory locks. Their numbers are hashes: tables or values whose numbers are the same by chance
 * wait for one another, and nothing else happens.
 */
export const postgresLocks: Locks = Object.freeze({
  table: (table, mode) => ({
    sql: `select ${lockFunctions[mode]}(${tableLocks}, ${hashOf(nameOf(table)).readInt32BE()})`,
    parameters: [],
  }),
  values: (table, values, mode) => [
    {
      sql: `select ${lockFunctions[mode]}(number) from unnest($1::bigint[]) as number`,
      parameters: [
        values.map((value) =>
          hashOf(`${nameOf(table)}.${value}`)
            .readBigInt64BE()
            .toString(),
        ),
      ],
    },
  ],
} satisfies Locks)

const lockFunctions: Readonly<Record<LockMode, string>> = {
  shared: 'pg_advisory_xact_lock_shared',
  exclusive: 'pg_advisory_xact_lock',
}

function nameOf({ schema, name }: TableName): string {
  return `${schema ?? ''}.${name}`
}

function hashOf(name: string): Buffer {
  return hash('sha256', name, 'buffer')
}
