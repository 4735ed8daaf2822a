// How long one client waits for an item, and for a change, while another client sends what takes
// long in PostgreSQL: expensive lists, many cheaper ones, changes of a row that someone has locked.
//   node bench/postgres-waits.mjs [--rounds=3]

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clientOf } from './harness/http-client.mjs'
import { startPostgres } from './harness/postgres.mjs'
import { run, stop, stopAll } from './harness/processes.mjs'

const rounds = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 3)
const serverFile = fileURLToPath(new URL('postgres-waits/server.mjs', import.meta.url))
const attackerFile = fileURLToPath(new URL('postgres-waits/attacker.mjs', import.meta.url))

/** @typedef {import('./harness/http-client.mjs').Client} Client */
/** @typedef {import('./postgres-waits/loop-turns.mjs').Turn} Turn */
/** @typedef {Record<'read' | 'readWorst' | 'write' | 'writeWorst' | 'turnCpu', number>} Figures */

/**
 * Sends a process a message and waits for its answer.
 *
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} message
 */
async function ask(child, message) {
  const answered = once(child, 'message')
  child.send(message)
  return (await answered)[0]
}

/**
 * Sends one request after the other until the work is done.
 *
 * @param {Client} client
 * @param {Promise<unknown>} work
 */
async function watch(client, work) {
  let isOver = false
  work.finally(() => {
    isOver = true
  })
  /** @type {{ status: number, ms: number }[]} */
  const reads = []
  /** @type {{ status: number, ms: number }[]} */
  const writes = []
  for (let index = 0; !isOver; index++) {
    reads.push(await client('GET', '/authors/a3', undefined))
    writes.push(await client('PATCH', '/authors/a4', { author: { name: `${index}` } }))
    await wait(20)
  }
  return { reads, writes }
}

/** @param {readonly number[]} values */
const median = (values) => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
/** @param {readonly { ms: number }[]} responses */
const worst = (responses) => Math.max(...responses.map(({ ms }) => ms))
/** @param {readonly { status: number }[]} responses */
const statuses = (responses) => {
  /** @type {Record<number, number>} */
  const counts = {}
  for (const { status } of responses) counts[status] = (counts[status] ?? 0) + 1
  return Object.entries(counts)
    .map(([status, count]) => `${count} x ${status}`)
    .join(', ')
}
const ms = (/** @type {number} */ value) => `${value.toFixed(0)} ms`

const folder = mkdtempSync(join(tmpdir(), 'postgres-waits-'))
const server = await startPostgres(join(folder, 'server'), 'full')
try {
  const url = server.createDatabase('waits')
  const child = run(serverFile, [url], {})
  const [port] = await once(child, 'message')
  server.analyze('waits')
  const attacker = run(attackerFile, [`${port}`, url], {})
  const [names] = await once(attacker, 'message')
  const client = clientOf(port, '127.0.0.3')
  await watch(client, wait(1_000))
  for (const name of names) {
    /** @type {Figures[]} */
    const over = []
    for (let round = 0; round < rounds; round++) {
      const quiet = await watch(client, wait(1_500))
      await ask(child, 'longest turn')
      const startedAt = performance.now()
      const work = ask(attacker, name)
      const during = await watch(client, work)
      const lasted = performance.now() - startedAt
      /** @type {Turn} */
      const turn = await ask(child, 'longest turn')
      const figures = {
        read: median(during.reads.map((one) => one.ms)) - median(quiet.reads.map((one) => one.ms)),
        readWorst: worst(during.reads) - worst(quiet.reads),
        write:
          median(during.writes.map((one) => one.ms)) - median(quiet.writes.map((one) => one.ms)),
        writeWorst: worst(during.writes) - worst(quiet.writes),
        turnCpu: turn.cpuMs,
      }
      over.push(figures)
      console.log(
        `${name}: ${ms(lasted)}, attack ${statuses(await work)}; GET ${statuses(during.reads)}, median ${ms(median(during.reads.map((one) => one.ms)))}, worst ${ms(worst(during.reads))} (quiet ${ms(median(quiet.reads.map((one) => one.ms)))}, ${ms(worst(quiet.reads))}); PATCH ${statuses(during.writes)}, worst ${ms(worst(during.writes))} (quiet ${ms(worst(quiet.writes))}); longest turn of the event loop ${ms(turn.ms)}, in which the service used a processor for ${ms(turn.cpuMs)}`,
      )
      await wait(500)
    }
    const of = (/** @type {keyof Figures} */ key) => ms(median(over.map((figures) => figures[key])))
    console.log(
      `${name}, medians of ${rounds}: GET waits ${of('read')} longer than when it is quiet, at worst ${of('readWorst')}; PATCH ${of('write')}, at worst ${of('writeWorst')}; the service used a processor for ${of('turnCpu')} in its longest turn\n`,
    )
  }
  await stop(attacker)
  await stop(child)
} finally {
  await stopAll()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
