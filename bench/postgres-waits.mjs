// How long one client waits for an item, and for a change, while another client sends what takes
// long in PostgreSQL: expensive lists, many cheaper ones, changes of a row that someone has locked.
//   node bench/postgres-waits.mjs [--rounds=3]

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startPostgres } from './harness/postgres.mjs'
import { run, stop, stopAll } from './harness/processes.mjs'

const rounds = Number(/--rounds=(\d+)/.exec(process.argv.join(' '))?.[1] ?? 3)
const serverFile = fileURLToPath(new URL('postgres-waits/server.mjs', import.meta.url))

/**
 * A client with an address of its own, which services count it by.
 *
 * @param {number} port
 * @param {string} localAddress
 */
function clientOf(port, localAddress) {
  const agent = new Agent({ keepAlive: true })
  return (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body) =>
    /** @type {Promise<{ status: number, ms: number }>} */ (
      new Promise((resolve, reject) => {
        const startedAt = performance.now()
        const headers = body === undefined ? {} : { 'content-type': 'application/json' }
        const options = { host: '127.0.0.1', port, localAddress, agent, method, path, headers }
        const sent = request(options, (response) => {
          response.resume().on('end', () => {
            resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt })
          })
        })
        sent.on('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      })
    )
}

/** @typedef {ReturnType<typeof clientOf>} Client */

const contains = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, index) => `contains(author.bio,'zq${index}')`).join(',')
const list = (/** @type {number} */ count) =>
  `/books?page[size]=1&withCount=true&filter=${encodeURIComponent(`or(${contains(count)})`)}`

/** @type {Record<string, (client: Client, url: string) => Promise<{ status: number }[]>>} */
const attacks = {
  '10 lists of 45 contains': (client) =>
    Promise.all(Array.from({ length: 10 }, () => client('GET', list(45), undefined))),
  '300 lists of 5 contains': (client) =>
    Promise.all(Array.from({ length: 300 }, () => client('GET', list(5), undefined))),
  '20 changes of a locked row': async (client, url) => {
    const other = new pg.Client({ connectionString: url })
    await other.connect()
    await other.query("begin; update authors set name = name where id = 'a5'")
    const changes = Array.from({ length: 20 }, (_, index) =>
      client('PATCH', '/authors/a5', { author: { name: `${index}` } }),
    )
    const outcomes = await Promise.all(changes)
    await other.end()
    return outcomes
  },
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
  const attacker = clientOf(port, '127.0.0.2')
  const client = clientOf(port, '127.0.0.3')
  await watch(client, wait(1_000))
  for (const [name, attack] of Object.entries(attacks)) {
    /** @type {{ read: number, readWorst: number, write: number, writeWorst: number }[]} */
    const over = []
    for (let round = 0; round < rounds; round++) {
      const quiet = await watch(client, wait(1_500))
      const startedAt = performance.now()
      const work = attack(attacker, url)
      const during = await watch(client, work)
      const lasted = performance.now() - startedAt
      const figures = {
        read: median(during.reads.map((one) => one.ms)) - median(quiet.reads.map((one) => one.ms)),
        readWorst: worst(during.reads) - worst(quiet.reads),
        write:
          median(during.writes.map((one) => one.ms)) - median(quiet.writes.map((one) => one.ms)),
        writeWorst: worst(during.writes) - worst(quiet.writes),
      }
      over.push(figures)
      console.log(
        `${name}: ${ms(lasted)}, attack ${statuses(await work)}; GET ${statuses(during.reads)}, median ${ms(median(during.reads.map((one) => one.ms)))}, worst ${ms(worst(during.reads))} (quiet ${ms(median(quiet.reads.map((one) => one.ms)))}, ${ms(worst(quiet.reads))}); PATCH ${statuses(during.writes)}, worst ${ms(worst(during.writes))} (quiet ${ms(worst(quiet.writes))})`,
      )
      await wait(500)
    }
    const of = (/** @type {keyof typeof over[number]} */ key) =>
      ms(median(over.map((figures) => figures[key])))
    console.log(
      `${name}, medians of ${rounds}: GET waits ${of('read')} longer than when it is quiet, at worst ${of('readWorst')}; PATCH ${of('write')}, at worst ${of('writeWorst')}\n`,
    )
  }
  await stop(child)
} finally {
  await stopAll()
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
