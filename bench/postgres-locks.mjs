// What a transaction costs that decides by what it counts, with its locks as advisory locks and as
// rows of a table: 16 clients count the bookings of a room, and add one, refuse to, or need not.
// Both kinds run in turns, within one run.
//   node bench/postgres-locks.mjs [--rounds=6] [--seconds=3]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { startPostgres } from './harness/postgres.mjs'

const number = (/** @type {string} */ name, /** @type {number} */ fallback) =>
  Number(new RegExp(`--${name}=(\\d+)`).exec(process.argv.join(' '))?.[1] ?? fallback)
const rounds = number('rounds', 6)
const seconds = number('seconds', 3)
const writers = 16

/** @type {Record<string, (room: number) => readonly string[]>} */
const kinds = {
  advisory: (room) => [
    'select pg_advisory_xact_lock_shared(1, 1)',
    `select pg_advisory_xact_lock(number) from unnest(array[${room}]::bigint[]) as number`,
  ],
  rows: (room) => [
    'select 1 from locks where slot = any (array[1]) order by slot for share',
    `select 1 from locks where slot = any (array[${1024 + room}]) order by slot for update`,
  ],
}

/** How a transaction ends. @type {Record<string, (room: number) => string>} */
const ends = {
  'adds a booking': (room) => `insert into bookings (room) values (${room}); commit`,
  'refuses one': () => 'rollback',
  'needs none': () => 'commit',
}

const folder = mkdtempSync(join(tmpdir(), 'bench-locks-'))
const postgres = await startPostgres(join(folder, 'postgres'), 'full')
try {
  const url = postgres.createDatabase('locks')
  const clients = await Promise.all(
    Array.from({ length: writers }, async () => {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      return client
    }),
  )
  await clients[0]?.query(
    'create table locks (slot integer primary key); insert into locks select generate_series(0, 4095); create table bookings (id bigserial primary key, room integer); create index on bookings (room)',
  )
  for (const [end, rooms] of [
    ...Object.keys(ends).map((name) => /** @type {const} */ ([name, 1_000])),
    /** @type {const} */ (['adds a booking', 50]),
  ]) {
    /** @type {number[]} */
    const ratios = []
    /** @type {Record<string, number[]>} */
    const rates = { advisory: [], rows: [] }
    for (let round = 0; round < rounds; round++) {
      /** @type {Record<string, number>} */
      const measured = {}
      const order = round % 2 === 0 ? ['advisory', 'rows'] : ['rows', 'advisory']
      for (const kind of order) measured[kind] = await measure(clients, kind, end, rooms)
      for (const kind of order) rates[kind]?.push(measured[kind] ?? 0)
      ratios.push((measured.rows ?? 0) / (measured.advisory ?? 1))
    }
    const text = Object.entries(rates).map(([kind, values]) => `${kind} ${show(values)}`)
    console.log(
      `${end}, ${rooms} rooms, transactions per second: ${text.join(', ')}; rows / advisory ${show(ratios, 2)}`,
    )
  }
  await Promise.all(clients.map((client) => client.end()))
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}

/**
 * Transactions per second.
 *
 * @param {readonly pg.Client[]} clients
 * @param {string} kind
 * @param {string} end
 * @param {number} rooms
 */
async function measure(clients, kind, end, rooms) {
  await clients[0]?.query('truncate bookings')
  let count = 0
  const deadline = performance.now() + seconds * 1_000
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < deadline) {
        const room = Math.floor(Math.random() * rooms)
        const locks = kinds[kind]?.(room) ?? []
        // As the store sends them: in one round trip, and the write with its commit in another.
        await client.query(
          `begin; ${locks.join('; ')}; select count(*) from bookings where room = ${room}`,
        )
        await client.query(ends[end]?.(room) ?? 'rollback')
        count++
      }
    }),
  )
  return count / seconds
}

/**
 * The median, and the smallest and largest value.
 *
 * @param {readonly number[]} values
 * @param {number} digits
 */
function show(values, digits = 0) {
  const sorted = [...values].sort((one, other) => one - other)
  const [least, middle, most] = [sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  return `${middle?.toFixed(digits)} (${least?.toFixed(digits)} to ${most?.toFixed(digits)})`
}
