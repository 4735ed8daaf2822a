// What a request of each operation, and of each mix, uses on one store.

import { fileURLToPath } from 'node:url'
import { run, stop } from '../harness/processes.mjs'
import { ask, requestsOf, waitMs } from './load-process.mjs'
import { medians } from './medians.mjs'
import { MIXES } from './mixes.mjs'
import { OPERATIONS, READS } from './operations.mjs'

const FILE = fileURLToPath(new URL('load.mjs', import.meta.url))
/** Fewer say nothing, so a slow window goes on. */
const MIN_REQUESTS = 20
const MAX_WINDOW_MS = 10_000
/** V8 has compiled by then what they call. */
const WARM_REQUESTS = 1_500
const MAX_WARMUP_MS = 5_000

/**
 * @typedef {object} Options
 * @property {string} store
 * @property {number} books
 * @property {number} seconds of a window
 * @property {number} warmup seconds
 * @property {number} rounds windows of which the median counts
 * @property {number} connections
 * @property {number} settleMs how long a service is left alone after its start
 *
 * @typedef {object} Cost of one request: microseconds and bytes
 * @property {number} serviceUs processor time of the process, with all of its threads
 * @property {number} mainThreadUs processor time of the event loop's thread
 * @property {number} writerUs how long the lock of the SQLite file is held
 * @property {number} diskUs how long the event loop waits for the disk
 * @property {number} databaseUs processor time of the database server
 * @property {number} walBytes of the database server
 * @property {number} writtenBytes to disks, by the service and the database server
 * @property {number} commits of the SQLite file; below 1 where requests share one
 * @property {number} perSecond requests of all connections
 *
 * @typedef {object} StoreCosts
 * @property {Readonly<Record<string, Cost>>} operations
 * @property {Readonly<Record<string, Cost>>} mixes
 */

/**
 * Reads come first, while the store has the books that it was filled with.
 *
 * @param {ReturnType<typeof import('./start-service.mjs').services>} services
 * @param {Options} options
 * @returns {Promise<StoreCosts>}
 */
export function measureStore({ withService }, options) {
  return withService({ ...options, hasLog: false }, async (service) => {
    const load = run(FILE, [])
    try {
      /** @type {Record<string, Cost>} */
      const costs = {}
      const writes = Object.keys(OPERATIONS).filter((name) => !READS.includes(name))
      for (const name of READS) costs[name] = await costOf(service, load, { [name]: 1 }, options)
      /** @type {Record<string, Cost>} */
      const mixes = {}
      for (const [name, shares] of Object.entries(MIXES))
        mixes[name] = await costOf(service, load, shares, options)
      for (const name of writes) costs[name] = await costOf(service, load, { [name]: 1 }, options)
      const operations = Object.keys(OPERATIONS).map((name) => [name, costs[name]])
      return { operations: Object.fromEntries(operations), mixes }
    } finally {
      await stop(load)
    }
  })
}

/**
 * @param {import('./start-service.mjs').Service} service
 * @param {import('../harness/processes.mjs').Child} load
 * @param {Readonly<Record<string, number>>} shares
 * @param {Options} options
 * @returns {Promise<Cost>}
 */
async function costOf(service, load, shares, { books, seconds, warmup, rounds, connections }) {
  await ask(load, { start: shares, port: service.port, books, connections })
  const warmupEnd = performance.now() + (rounds > 1 ? MAX_WARMUP_MS : 0)
  do await waitMs(warmup * 1_000)
  while ((await requestsOf(load)) < WARM_REQUESTS && performance.now() < warmupEnd)
  const windows = []
  while (windows.length < rounds) windows.push(await windowOf(service, load, seconds * 1_000))
  await ask(load, 'stop')
  return medians(windows)
}

/**
 * Of the time in which the main thread had work, the share in which it waited for a processor. It
 * waits also before the event loop counts its time, so by that time alone the share is too large.
 *
 * @param {(name: 'queuedUs' | 'loopUs' | 'mainThreadUs') => number} per
 */
function queuedShare(per) {
  const queued = per('queuedUs')
  return Math.min(queued / per('loopUs'), queued / (queued + per('mainThreadUs')))
}

/**
 * @param {import('./start-service.mjs').Service} service
 * @param {import('../harness/processes.mjs').Child} load
 * @param {number} ms
 * @returns {Promise<Cost>}
 */
async function windowOf(service, load, ms) {
  const startedAt = performance.now()
  const [before, countBefore] = [await service.usage(), await requestsOf(load)]
  for (;;) {
    await waitMs(ms)
    const [after, count] = [await service.usage(), await requestsOf(load)]
    const elapsedMs = performance.now() - startedAt
    const requests = count - countBefore
    if (requests < MIN_REQUESTS && elapsedMs < MAX_WINDOW_MS) continue
    const per = (/** @type {keyof typeof after} */ name) =>
      Math.max(0, after[name] - before[name]) / requests
    return {
      serviceUs: per('serviceUs'),
      mainThreadUs: per('mainThreadUs'),
      // Nobody can tell how long it waited for a processor with the lock, so it is the same share.
      writerUs: per('writerUs') * (1 - queuedShare(per)),
      // Only a commit makes the event loop wait for anything else.
      diskUs:
        after.commits > before.commits
          ? Math.max(0, per('loopUs') - per('queuedUs') - per('mainThreadUs'))
          : 0,
      databaseUs: per('databaseUs'),
      walBytes: per('walBytes'),
      writtenBytes: per('writtenBytes'),
      commits: per('commits'),
      perSecond: (requests * 1_000) / elapsedMs,
    }
  }
}
