// How long a start takes that brings stored items into the form of a changed model.
//   node bench/deploys.mjs [--books=100000] [--stores=sqlite-documents,sqlite-tables,postgres]
//     [--only='a field renamed'] [--rounds=5] [--images] [--json=file]

import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { CHANGES } from './deploys/models.mjs'
import { startPostgres } from './harness/postgres.mjs'
import { run, stopAll } from './harness/processes.mjs'
import { printedSpread, spreadOf } from './harness/spread.mjs'
import { STORES } from './harness/stores.mjs'

const { values: options } = parseArgs({
  options: {
    books: { type: 'string', default: '100000' },
    stores: { type: 'string', default: Object.keys(STORES).join(',') },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '5' },
    images: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const beginnings = options.only.split(',')
const images = options.images ? 'images' : ''

/**
 * @typedef {{ wallMs: number, userMs: number, systemMs: number, sinceStartMs: number }} Start
 * @typedef {{ copy(): Promise<string>, stop(): Promise<unknown> }} Data
 */

/** @type {{ store: string, change: string, starts: Start[] }[]} */
const measurements = []
const folder = mkdtempSync(join(tmpdir(), 'resourcery-deploys-'))
try {
  for (const store of options.stores.split(',')) await measure(store)
} finally {
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}
if (options.json) writeFileSync(options.json, JSON.stringify(measurements, undefined, 2))

/** @param {string} store */
async function measure(store) {
  const { copy, stop } = await (store === 'postgres' ? inPostgres() : inFile(store))
  try {
    console.log(
      `\n${`${store}, ${options.books} books`.padEnd(36)}${'wall ms'.padStart(22)}${'processor ms'.padStart(22)}`,
    )
    for (const change of Object.keys(CHANGES)) {
      if (!beginnings.some((beginning) => change.startsWith(beginning))) continue
      /** @type {Start[]} */
      const starts = []
      for (let round = 0; round < Number(options.rounds); round++)
        starts.push(await start(store, await copy(), change))
      measurements.push({ store, change, starts })
      const cells = [
        starts.map(({ wallMs }) => wallMs),
        starts.map(({ userMs, systemMs }) => userMs + systemMs),
      ].map((values) => printedSpread(spreadOf(values), (value) => value.toFixed(0)).padStart(22))
      console.log(change.padEnd(36) + cells.join(''))
    }
  } finally {
    await stop()
  }
}

/**
 * @param {string} store
 * @returns {Promise<Data>}
 */
async function inFile(store) {
  const [seeded, copied] = ['seeded', 'copied'].map((name) => join(folder, `${store}-${name}.db`))
  await start(store, /** @type {string} */ (seeded), 'nothing', options.books)
  return {
    async copy() {
      for (const end of ['-wal', '-shm']) rmSync(copied + end, { force: true })
      copyFileSync(/** @type {string} */ (seeded), /** @type {string} */ (copied))
      return /** @type {string} */ (copied)
    },
    stop: async () => {},
  }
}

/** @returns {Promise<Data>} */
async function inPostgres() {
  const server = await startPostgres(join(folder, 'postgres'), 'full')
  await start('postgres', server.createDatabase('seeded'), 'nothing', options.books)
  server.analyze('seeded')
  let copies = 0
  return {
    async copy() {
      if (copies > 0) server.dropDatabase(`copy${copies}`)
      copies++
      return server.createDatabase(`copy${copies}`, 'seeded')
    },
    stop: () => server.stop(),
  }
}

/**
 * @param {string} store
 * @param {string} location
 * @param {string} change
 * @param {string} [books] how many are loaded
 * @returns {Promise<Start>}
 */
async function start(store, location, change, books) {
  const args = [store, location, change, images, ...(books === undefined ? [] : [books])]
  const child = run(join(import.meta.dirname, 'deploys/start.mjs'), args)
  const exit = once(child, 'exit')
  const measured = once(child, 'message')
  measured.catch(() => {})
  const [message] = await Promise.race([
    measured,
    exit.then(([code]) => {
      throw new Error(`The start over ${store} with ${change} ended with ${code}.`)
    }),
  ])
  await exit
  return message
}
