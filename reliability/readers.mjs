// Readers of a long list that do not read on: little memory for each, and others do not wait.
//   node reliability/readers.mjs [--notes=1000000] [--stores=sqlite-documents,postgres]
//     [--seconds=5] [--short]

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { STORES } from '../bench/harness/stores.mjs'
import { residentBytes } from '../bench/load/resident-bytes.mjs'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { inEachStore } from './harness/in-each-store.mjs'
import { Report } from './harness/report.mjs'
import { startService } from './harness/services.mjs'
import { othersWait } from './readers/others.mjs'
import { stalledReader } from './readers/stalled-reader.mjs'

const { values } = parseArgs({
  options: {
    notes: { type: 'string' },
    stores: { type: 'string' },
    seconds: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const notes = countOf('notes', values.notes ?? (values.short ? 50_000 : 1_000_000))
const seconds = countOf('seconds', values.seconds ?? (values.short ? 3 : 5))
const known = Object.keys(STORES)
const storeNames = values.stores?.split(',') ?? (values.short ? ['sqlite-documents'] : known)
const stores = chosenNames('stores', storeNames, known)
const maxFirstByteMs = 5
/** The gate runs on machines with other work. */
const maxOthersMs = values.short ? 30 : 10
const maxGrowthMiB = new Map([
  [1, 32],
  [100, 256],
])
const file = fileURLToPath(new URL('harness/service.mjs', import.meta.url))
const report = new Report()

await inEachStore(stores, 'read', ({ store, location, folder }) =>
  measure({ store, location, blobs: join(folder, 'blobs'), processes: 1, notes }),
)

/** @param {{ store: string, location: string, blobs: string, processes: number, notes: number }} settings */
async function measure(settings) {
  const { store } = settings
  const args = [JSON.stringify(settings)]
  const service = await startService(file, { args, nodeOptions: ['--expose-gc'] })
  const { port } = service
  // Warms up the compiler, and fills the caches.
  await firstBytes(port, 50)
  await othersWait(port, notes, wait(500))
  const firstByteMs = await firstBytes(port, 21)
  const quiet = await othersWait(port, notes, wait(seconds * 1_000))
  const mostFirstByteMs = maxFirstByteMs + quiet.median
  if (firstByteMs > mostFirstByteMs)
    report.add('late', `${store}: the first byte came after ${firstByteMs.toFixed(1)} ms.`)
  console.log(
    `${store}, ${notes} items: first byte after ${firstByteMs.toFixed(1)} ms (median; at most ${mostFirstByteMs.toFixed(1)}); an item for others after ${msOf(quiet)}`,
  )
  for (const [count, most] of maxGrowthMiB) {
    const { residentMiB } = await service.facts()
    const readers = await Promise.all(Array.from({ length: count }, () => stalledReader(port)))
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, residentBytes(service.pid))
    }, 25)
    const others = await othersWait(port, notes, wait(seconds * 1_000))
    clearInterval(watch)
    for (const { end } of readers) await end()
    const growth = peak / 2 ** 20 - residentMiB
    if (growth > most) report.add('memory', `${store}: ${growth.toFixed(0)} MiB for ${count}.`)
    const mostMs = Math.max(maxOthersMs, 3 * quiet.p99)
    if (others.p99 > mostMs)
      report.add('waits', `${store}: the p99 of others is ${others.p99.toFixed(1)} ms.`)
    console.log(
      `${store}, ${count} stalled: ${growth.toFixed(0)} MiB more (at most ${most}); an item for others after ${msOf(others)} (p99 at most ${mostMs.toFixed(0)})`,
    )
  }
  await service.kill()
}

/**
 * The median of the times to the first byte of the whole list.
 *
 * @param {number} port
 * @param {number} count
 */
async function firstBytes(port, count) {
  /** @type {number[]} */
  const times = []
  for (let index = 0; index < count; index++) {
    const { firstByteMs, end } = await stalledReader(port)
    times.push(firstByteMs)
    await end()
    await wait(10)
  }
  return times.sort((one, other) => one - other)[count >> 1] ?? 0
}

/** @param {{ median: number, p99: number, longest: number }} waits */
function msOf({ median, p99, longest }) {
  return `${median.toFixed(1)} / ${p99.toFixed(1)} / ${longest.toFixed(0)} ms (median / p99 / longest)`
}
