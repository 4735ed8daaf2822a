// How long one client waits for a book while another client sends the most expensive requests.
// Linux only: it reads /proc.
//   node bench/others-wait.mjs [--quick] [--books=1000000] [--only=delete-genre,like]
//     [--cache=folder] [--list]

import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { run, stop, stopAll } from './harness/processes.mjs'
import { attackerOf } from './others-wait/attacker.mjs'
import { bodies } from './others-wait/attacks/bodies.mjs'
import { bytes } from './others-wait/attacks/bytes.mjs'
import { fanOuts } from './others-wait/attacks/fan-outs.mjs'
import { filters } from './others-wait/attacks/filters.mjs'
import { largeItems } from './others-wait/attacks/large-items.mjs'
import { lists } from './others-wait/attacks/lists.mjs'
import { databaseOf, extentOf } from './others-wait/data.mjs'
import { machine, readOptions } from './others-wait/options.mjs'
import { picturesIn } from './others-wait/pictures.mjs'
import { quickNames } from './others-wait/quick.mjs'
import { startService } from './others-wait/service.mjs'
import { head, printed } from './others-wait/table.mjs'

/** @typedef {import('./others-wait/attack.mjs').Attack} Attack */
/** @typedef {import('./others-wait/table.mjs').Row} Row */

const options = readOptions(process.argv.slice(2))
// Child processes inherit the priority.
if (options.nice !== 0) setPriority(options.nice)
const clientFile = fileURLToPath(new URL('others-wait/waiting-client.mjs', import.meta.url))

const all = [...lists, ...filters, ...largeItems, ...bodies, ...bytes, ...fanOuts]
const chosen = all.filter(
  ({ name }) =>
    (options.only.length === 0
      ? !options.isQuick || quickNames.has(name)
      : isNamed(name, options.only)) && !isNamed(name, options.without),
)

/**
 * @param {string} name
 * @param {string[]} beginnings
 */
function isNamed(name, beginnings) {
  return beginnings.some((beginning) => name.startsWith(beginning))
}

/** @type {Attack[]} */
const baselines = [
  { name: '(nothing)', run: () => wait(options.isQuick ? 1_000 : 3_000) },
  {
    name: '(another process computes)',
    run: async () => {
      const burner = run('-e', ['const end = Date.now() + 3_000; while (Date.now() < end);'])
      await wait(options.isQuick ? 1_000 : 3_000)
      await stop(burner)
    },
  },
]

if (options.isListed) for (const { name } of chosen) console.log(name)
else await measured()

async function measured() {
  const folder = mkdtempSync(join(tmpdir(), 'others-wait-'))
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
    process.once(signal, async () => {
      await stopAll()
      rmSync(folder, { recursive: true, force: true })
      process.exit(1)
    })
  }
  try {
    const rows = await measureAll(folder)
    report(rows)
  } catch (error) {
    console.error(error)
    process.exitCode = 1
  } finally {
    await stopAll()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {string} folder */
async function measureAll(folder) {
  const cache = options.cache ?? folder
  note(`${options.books} books and what belongs to them`)
  const pictures = await picturesIn(cache)
  const seeded = await databaseOf(cache, options.books)
  const database = join(folder, 'attacked.db')
  copyFileSync(seeded, database)
  const world = { extent: extentOf(options.books), isQuick: options.isQuick, pictures }

  /** @type {Row[]} */
  const rows = []
  let setting = await set(database, join(folder, 'blobs'))
  console.log(`${machine()}, ${options.books} books\n\n${head()}`)
  for (const attack of [...baselines, ...chosen]) {
    const row = await measure(attack, setting, world)
    rows.push(row)
    console.log(printed(row))
    if (row.busyMs !== undefined && setting.service.isRunning()) continue
    // Work that is still running would be measured with the next attack.
    await end(setting)
    setting = await set(database, join(folder, 'blobs'))
  }
  await end(setting)
  return rows
}

/** @typedef {Awaited<ReturnType<typeof set>>} Setting */

/**
 * @param {string} database
 * @param {string} blobs
 */
async function set(database, blobs) {
  const service = await startService(database, blobs)
  const client = run(clientFile, [String(service.port), String(options.books)])
  // Warms up the compiler of Node and the caches of the database.
  await wait(options.isQuick ? 500 : 2_000)
  const warm = attackerOf(service.port, 10_000)
  for (let index = 0; index < 5; index++) await warm.ask({ path: '/api/books?page%5Bsize%5D=1000' })
  warm.end()
  return { service, client }
}

/** @param {Setting} setting */
async function end({ service, client }) {
  await stop(client)
  // Does not wait for requests in progress.
  await service.kill()
}

/**
 * @param {Attack} attack
 * @param {Setting} setting
 * @param {import('./others-wait/attack.mjs').World} world
 * @returns {Promise<Row>}
 */
async function measure(attack, { service, client }, world) {
  await service.monitored('collect')
  await service.quiet(2_000)
  await service.monitored('look')
  const before = {
    memory: service.residentMiB(),
    descriptors: service.descriptors(),
    blobs: service.blobs(),
  }
  service.forgetPeak()
  await waited(client)
  const start = performance.now()
  const attacker = attackerOf(service.port, options.seconds * 1_000)
  try {
    await attack.run(attacker, world)
  } finally {
    attacker.end()
  }
  const seconds = (performance.now() - start) / 1_000
  const busyMs = service.isRunning()
    ? await service.quiet(Math.min(15_000, options.seconds * 1_000))
    : undefined
  const { worst, p99, open, failures } = await waited(client)
  const isStuck = open > 1_000
  /** @type {Row} */
  const row = {
    name: attack.name,
    worst,
    p99,
    seconds,
    busyMs: isStuck ? undefined : busyMs,
    heldMs: 0,
    memoryMiB: 0,
    exchangedMiB: attacker.exchangedBytes() / 1_048_576,
    descriptors: 0,
    blobs: 0,
    outcomes: attacker.outcomes(),
    faults: [],
  }
  if (service.isRunning()) {
    row.memoryMiB = service.peakMiB() - before.memory
    row.descriptors = service.descriptors() - before.descriptors
    row.blobs = service.blobs() - before.blobs
    row.heldMs = busyMs === undefined ? Number.NaN : (await service.monitored('look')).heldMs
  }
  const errors = service.errors()
  if (options.isVerbose && errors !== '') note(errors)
  return { ...row, faults: [...faultsOf(row, failures, service.isRunning()), ...linesOf(errors)] }
}

/**
 * @param {Row} row
 * @param {number} failures of the waiting client
 * @param {boolean} isRunning
 */
function faultsOf({ worst, memoryMiB, exchangedMiB, outcomes, busyMs }, failures, isRunning) {
  const errors = []
  if (!isRunning) errors.push('THE SERVICE ENDED')
  if (worst > options.maxWaitMs) errors.push(`waits above ${options.maxWaitMs} ms`)
  if (memoryMiB - exchangedMiB > options.maxMemoryMiB)
    errors.push(`memory above ${options.maxMemoryMiB} MiB`)
  if (busyMs === undefined) errors.push('continues without its client, or responds to nobody')
  if (failures > 1) errors.push(`${failures} other requests failed`)
  const failed = Object.keys(outcomes).filter((entry) => /^5/.test(entry) && entry !== '503')
  if (failed.length > 0) errors.push(`responds with ${failed.join(', ')}`)
  return errors
}

/**
 * The first lines of the errors that the service printed.
 *
 * @param {string} errors
 */
function linesOf(errors) {
  const lines = errors.split('\n').filter((line) => /^\w*(Error|Unavailable|Warning)\b/.test(line))
  return [...new Set(lines)].slice(0, 2).map((line) => `printed '${line.slice(0, 100)}'`)
}

/**
 * What the waiting client has measured since the last call.
 *
 * @param {import('./harness/processes.mjs').Child} client
 * @returns {Promise<{ answers: number, p99: number, worst: number, open: number, failures: number
 * }>}
 */
async function waited(client) {
  const response = once(client, 'message')
  client.send('report')
  return (await response)[0]
}

/** @param {Row[]} rows */
function report(rows) {
  const failed = rows.filter(
    ({ name, faults: errors }) => errors.length > 0 && !name.startsWith('('),
  )
  const worst = Math.max(...rows.map((row) => row.worst))
  console.log(
    `\n${rows.length - baselines.length} attacks, ${failed.length} beyond the bounds, worst wait ${worst.toFixed(0)} ms`,
  )
  for (const { name, faults: errors } of failed) console.log(`- ${name}: ${errors.join('; ')}`)
  if (options.json)
    writeFileSync(
      options.json,
      `${JSON.stringify({ machine: machine(), options, rows }, null, 2)}\n`,
    )
  if (failed.length > 0) process.exitCode = 1
}

/** @param {string} text */
function note(text) {
  console.error(text)
}
