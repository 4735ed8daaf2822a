// What one request of each operation uses, on each store: the figures behind docs/guide/scaling.md.
//   node bench/costs.mjs [--json=bench/figures/costs.json] [--stores=postgres] [--rounds=3]
//     [--seconds=1.5] [--short]

import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureEvents } from './costs/events.mjs'
import { measureStore } from './costs/measure.mjs'
import { services } from './costs/start-service.mjs'
import { programFolder } from './harness/postgres.mjs'
import { stopAll } from './harness/processes.mjs'
import { checkBuilt } from './harness/servers.mjs'

const STORES = ['memory', 'sqlite-documents', 'sqlite-tables', 'postgres']

/**
 * @typedef {import('./costs/measure.mjs').StoreCosts} StoreCosts
 * @typedef {StoreCosts & { event: import('./costs/events.mjs').EventCost }} StoreFigures
 */

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    stores: { type: 'string', default: STORES.join(',') },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    connections: { type: 'string', default: '16' },
    json: { type: 'string' },
  },
})
const lengths = values.short
  ? { rounds: 1, seconds: 0.1, warmup: 0.05, books: 500, settleMs: 200 }
  : { rounds: 3, seconds: 1.5, warmup: 0.6, books: 10_000, settleMs: 12_000 }
const measuring = {
  ...lengths,
  connections: Number(values.connections),
  rounds: Number(values.rounds ?? lengths.rounds),
  seconds: Number(values.seconds ?? lengths.seconds),
}
const stores = values.stores.split(',')
const unknown = stores.filter((store) => !STORES.includes(store))
if (unknown.length > 0) throw new Error(`--stores knows ${STORES.join(', ')}, and not ${unknown}.`)

checkBuilt(['resourcery'])
const root = mkdtempSync(join(tmpdir(), 'resourcery-costs-'))
chmodSync(root, 0o755)
const started = services(root)

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, async () => {
    await cleanUp()
    process.exit(1)
  })
}

console.log(`Load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
try {
  /** @type {Record<string, StoreFigures>} */
  const figures = {}
  for (const store of stores) {
    const options = { ...measuring, store }
    figures[store] = {
      ...(await measureStore(started, options)),
      event: await measureEvents(started, options),
    }
    print(store, figures[store])
  }
  if (values.json) write(values.json, figures)
} finally {
  await cleanUp()
}
console.log(`Load of the machine after: ${loadavg()[0]?.toFixed(1)}`)

/**
 * Stores that were not measured keep the figures that the file has.
 *
 * @param {string} file
 * @param {Record<string, StoreFigures>} figures
 */
function write(file, figures) {
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {}
  const content = { ...facts(), stores: { ...before.stores, ...figures } }
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)
}

async function cleanUp() {
  await stopAll()
  await started.stop()
  rmSync(root, { recursive: true, force: true })
}

function facts() {
  return {
    node: process.versions.node,
    processor: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    postgres: /\d+(\.\d+)*/.exec(
      execFileSync(join(programFolder(), 'postgres'), ['--version'], { encoding: 'utf8' }),
    )?.[0],
    connections: measuring.connections,
    books: measuring.books,
    rounds: measuring.rounds,
    seconds: measuring.seconds,
  }
}

/**
 * @param {string} store
 * @param {StoreFigures} figures
 */
function print(store, { operations, mixes, event }) {
  console.log(`\n${store}, microseconds of a request`)
  console.log(
    '                       service  thread  writer    disk  server      WAL  written  /s',
  )
  for (const [name, cost] of [...Object.entries(operations), ...Object.entries(mixes)]) {
    const { serviceUs, mainThreadUs, writerUs, diskUs, databaseUs, walBytes, writtenBytes } = cost
    const times = [serviceUs, mainThreadUs, writerUs, diskUs, databaseUs]
    const cells = [...times, walBytes, writtenBytes, cost.perSecond]
    console.log(name.padEnd(22) + cells.map((cell) => cell.toFixed(0).padStart(8)).join(''))
  }
  console.log(event)
}
