// Clients that are gone in the middle of a list or an upload: nothing of them stays.
//   node reliability/clients.mjs [--clients=1000] [--stores=sqlite-documents,postgres]
//     [--notes=30000] [--short]

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { STORES } from '../bench/harness/stores.mjs'
import { traceNames, tracesOf, whatStays } from './clients/traces.mjs'
import { vanish } from './clients/vanishing.mjs'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { clientOf } from './harness/client.mjs'
import { inEachStore } from './harness/in-each-store.mjs'
import { Report } from './harness/report.mjs'
import { startService } from './harness/services.mjs'

const { values } = parseArgs({
  options: {
    clients: { type: 'string' },
    stores: { type: 'string' },
    notes: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const clientCount = countOf('clients', values.clients ?? (values.short ? 64 : 1_000))
const notes = countOf('notes', values.notes ?? (values.short ? 15_000 : 30_000))
const known = Object.keys(STORES)
const stores = chosenNames('stores', values.stores?.split(',') ?? known, known)
const atOnce = 32
const file = fileURLToPath(new URL('harness/service.mjs', import.meta.url))
const report = new Report()

await inEachStore(stores, 'vanishing', measure)

/** @param {import('./harness/in-each-store.mjs').StorePlace} place */
async function measure({ store, location, folder, server }) {
  const blobs = join(folder, `${store}-blobs`)
  const args = [JSON.stringify({ store, location, blobs, processes: 1, notes })]
  const service = await startService(file, { args, nodeOptions: ['--expose-gc'] })
  const entryId = await createEntry(service.port)
  const vanishAll = async (/** @type {number} */ count) => {
    let next = 0
    const loop = async () => {
      while (next < count) await vanish(service.port, next++, entryId)
    }
    await Promise.all(Array.from({ length: atOnce }, loop))
  }
  const look = () => tracesOf(service, blobs, server)
  // Fills pools and caches, and what the allocator keeps.
  await vanishAll(atOnce)
  const first = await look()
  const { after: before } = await whatStays({ ...first, blobs: 0, busy: 0, locks: 0 }, look)
  await vanishAll(clientCount)
  const { after, left } = await whatStays({ ...before, blobs: 0, busy: 0, locks: 0 }, look)
  for (const name of left) report.add('left', `${store}: ${after[name]} ${name}`)
  const figures = traceNames.map(
    (name) => `${name} ${before[name].toFixed(0)} → ${after[name].toFixed(0)}`,
  )
  console.log(`${store.padEnd(18)} ${clientCount} clients gone: ${figures.join(', ')}`)
  await service.kill()
}

/** @param {number} port */
async function createEntry(port) {
  const client = clientOf(port)
  const headers = { 'content-type': 'application/json' }
  const account = JSON.stringify({ account: { id: 'a' } })
  await client({ method: 'POST', path: '/accounts', headers, body: account })
  const body = JSON.stringify({ entry: { number: 1, step: 0, account: 'a', tags: [] } })
  const created = await client({ method: 'POST', path: '/entries', headers, body })
  return JSON.parse(created.body.toString()).entry.id
}
