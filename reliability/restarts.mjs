// Rolling restarts under load, each with a changed model: no request fails.
//   node reliability/restarts.mjs [--restarts=20] [--stores=sqlite-tables,postgres] [--items=2000]
//     [--clients=12] [--changes=none,added,renamed] [--short]

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { run } from '../bench/harness/processes.mjs'
import { STORES } from '../bench/harness/stores.mjs'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { inEachStore } from './harness/in-each-store.mjs'
import { Report } from './harness/report.mjs'
import { startService } from './harness/services.mjs'
import { Clients } from './restarts/clients.mjs'

const { values } = parseArgs({
  options: {
    restarts: { type: 'string' },
    stores: { type: 'string' },
    items: { type: 'string', default: '2000' },
    clients: { type: 'string', default: '12' },
    changes: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const restarts = countOf('restarts', values.restarts ?? (values.short ? 1 : 20))
const known = Object.keys(STORES)
const stores = chosenNames('stores', values.stores?.split(',') ?? known, known)
/** @typedef {'none' | 'added' | 'renamed'} Change of the model */
const changeNames = /** @type {const} */ (['none', 'added', 'renamed'])
// A restart without a change has a test of its own.
const usual = values.short ? changeNames.slice(1) : changeNames
const changes = chosenNames('changes', values.changes?.split(',') ?? [...usual], changeNames)
const file = fileURLToPath(new URL('restarts/service.mjs', import.meta.url))
const report = new Report()

await inEachStore(stores, 'restarted', ({ store, location, folder }) =>
  measure(store, location, join(folder, `${store}.version`)),
)

/**
 * @param {string} store
 * @param {string} location
 * @param {string} versionFile
 */
async function measure(store, location, versionFile) {
  const version = { none: 0, added: 0, renamed: 0 }
  writeFileSync(versionFile, JSON.stringify(version))
  const args = [store, location, versionFile]
  const [code] = await once(run(file, [...args, values.items]), 'exit')
  if (code !== 0) throw new Error(`Items could not be loaded: ${code}.`)
  const service = await startService(file, { args })
  for (const change of changes) {
    const clients = new Clients(
      service.port,
      countOf('clients', values.clients),
      countOf('items', values.items),
    )
    await wait(500)
    let longestMs = 0
    for (let restart = 0; restart < restarts; restart++) {
      version[change]++
      writeFileSync(versionFile, JSON.stringify(version))
      const startedAt = performance.now()
      const before = service.workers()
      service.child.kill('SIGHUP')
      await replaced(service, before)
      longestMs = Math.max(longestMs, performance.now() - startedAt)
    }
    await wait(300)
    await clients.stop()
    print(store, change, clients, longestMs)
  }
  await service.kill()
}

/**
 * @param {string} store
 * @param {Change} change
 * @param {Clients} clients
 * @param {number} longestMs of a restart
 */
function print(store, change, { failures, requestCount, longestMs: waitMs }, longestMs) {
  const seconds = (longestMs / 1_000).toFixed(1)
  console.log(
    `${`${store}, ${change}`.padEnd(26)} ${restarts} restarts of up to ${seconds} s, ${requestCount} requests, the longest took ${waitMs.toFixed(0)} ms; ${failures.length} failed`,
  )
  if (requestCount === 0) report.add('no requests', `${store}, ${change}`)
  if (failures.length === 0) return
  /** @type {Map<string, number>} */
  const kinds = new Map()
  for (const { kind } of failures) kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
  const counts = Array.from(kinds, ([kind, count]) => `${kind}: ${count}`).join(', ')
  report.add('failed', `${store}, ${change}: ${counts}; ${spanOf(failures)}`)
}

/**
 * @param {import('./harness/services.mjs').Service} service
 * @param {readonly number[]} before
 */
async function replaced(service, before) {
  const deadline = performance.now() + 120_000
  for (;;) {
    const now = service.workers()
    if (now.length === before.length && now.every((pid) => !before.includes(pid))) return
    if (performance.now() > deadline)
      throw new Error(`The workers are not replaced within two minutes: ${service.errors()}`)
    await wait(20)
  }
}

/** How long requests failed at a time. @param {readonly import('./restarts/clients.mjs').Failure[]} failures */
function spanOf(failures) {
  let longest = 0
  let since = failures[0]?.at ?? 0
  let last = since
  for (const { at } of failures) {
    if (at - last > 1_000) since = at
    last = at
    longest = Math.max(longest, at - since)
  }
  return `for up to ${(longest / 1_000).toFixed(1)} s at a time`
}
