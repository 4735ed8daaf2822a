// Conditional writes over four processes: each version is replaced by one write.
//   node reliability/conditional.mjs [--requests=1000000] [--stores=sqlite-documents,postgres]
//     [--connections=64] [--items=16] [--processes=4] [--short]

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { STORES } from '../bench/harness/stores.mjs'
import { openConnection } from '../bench/load/connection.mjs'
import { Versions } from './conditional/versions.mjs'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { inEachStore } from './harness/in-each-store.mjs'
import { Report } from './harness/report.mjs'
import { startService } from './harness/services.mjs'

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    stores: { type: 'string', default: Object.keys(STORES).join(',') },
    connections: { type: 'string', default: '64' },
    items: { type: 'string', default: '16' },
    processes: { type: 'string', default: '4' },
    short: { type: 'boolean', default: false },
  },
})
const stores = chosenNames('stores', values.stores.split(','), Object.keys(STORES))
const total = countOf('requests', values.requests ?? (values.short ? 1_500 : 1_000_000))
const file = fileURLToPath(new URL('harness/service.mjs', import.meta.url))
const report = new Report()

await inEachStore(stores, 'conditional', measure)

/** @param {import('./harness/in-each-store.mjs').StorePlace} place */
async function measure({ store, location, folder }) {
  const blobs = join(folder, `${store}-blobs`)
  const settings = { store, location, blobs, processes: countOf('processes', values.processes) }
  const service = await startService(file, { args: [JSON.stringify(settings)] })
  const connect = () => openConnection(service.port)
  const connections = await Promise.all(
    Array.from({ length: countOf('connections', values.connections) }, connect),
  )
  const [first] = connections
  if (!first) throw new Error("'connections' is at least 1.")
  const ids = Array.from({ length: countOf('items', values.items) }, (_, index) => `c${index}`)
  const items = new Map()
  for (const id of ids) {
    const response = await first.ask(request('POST', '/counters', { id, value: 0 }))
    items.set(id, new Versions(versionIn(response)))
  }

  /** @type {Map<number, number>} */
  const statuses = new Map()
  const startedAt = performance.now()
  const wanted = Math.ceil(total / stores.length)
  let sent = 0
  const write = async (
    /** @type {import('../bench/load/connection.mjs').Connection} */ connection,
  ) => {
    while (sent < wanted) {
      const value = ++sent
      const id = /** @type {string} */ (ids[Math.floor(Math.random() * ids.length)])
      const versions = items.get(id)
      const version = versions.latest
      const response = await connection.ask(request('PATCH', `/counters/${id}`, { value }, version))
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      if (response.status === 200) versions.add(version, versionIn(response))
      else if (response.status !== 412 && !isBusy(response))
        report.add('refused', `${store}: ${response.status} ${response.error}`)
    }
  }
  await Promise.all(connections.map(write))
  const seconds = (performance.now() - startedAt) / 1_000

  for (const [id, versions] of items) {
    const last = versionIn(await first.ask(request('GET', `/counters/${id}`)))
    if (versions.twice > 0)
      report.add('two winners', `${store}: ${versions.twice} versions of ${id}`)
    if (!versions.areOneChain(last)) report.add('broken chain', `${store}: versions of ${id}`)
  }
  const won = [...items.values()].reduce((sum, { steps }) => sum + steps, 0)
  const answers = Array.from(statuses, ([status, count]) => `${status}: ${count}`).join(', ')
  console.log(
    `${store.padEnd(18)} ${sent} conditional writes, ${settings.processes} processes, ${(sent / seconds).toFixed(0)} a second: ${won} won; ${answers}; ${report.count('two winners')} items with two winners, ${report.count('broken chain')} broken chains`,
  )
  if (won === 0) report.add('refused', `${store}: no write was answered with success.`)
  for (const { socket } of connections) socket.destroy()
  await service.kill()
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [counter]
 * @param {string} [version]
 */
function request(method, path, counter, version) {
  const body = counter === undefined ? '' : JSON.stringify({ counter })
  const condition = version === undefined ? '' : `if-match: ${version}\r\n`
  return `${method} ${path} HTTP/1.1\r\nhost: localhost\r\n${condition}content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}

/** @param {import('../bench/load/connection.mjs').LoadResponse} response */
function versionIn({ status, head, error }) {
  const [, version] = /\r\netag: *(\S+)/i.exec(head) ?? []
  if (!version) throw new Error(`A response has no ETag: ${status} ${error}`)
  return version
}

/** The locks of an item are waited for up to 3 s. */
function isBusy(
  /** @type {import('../bench/load/connection.mjs').LoadResponse} */ { status, head },
) {
  return status === 503 && /\r\nretry-after: /i.test(head)
}
