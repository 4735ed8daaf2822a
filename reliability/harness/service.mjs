// A service as a process of its own, or several. Run by the harnesses, with its settings as JSON.

import { createRouter, field, file, hash, model, rollup, toMany, toOne } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { serve } from 'resourcery/node'
import { postgresBlobs } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { StoreUnavailable } from 'resourcery/store'
import { z } from 'zod'
import { HOST, serving } from '../../bench/harness/child.mjs'
import { STORES } from '../../bench/harness/stores.mjs'

/**
 * @typedef {object} ServiceSettings
 * @property {string} store one of `STORES`
 * @property {string} location a file or the URL of a database
 * @property {string} blobs a folder, for SQLite
 * @property {number} processes
 * @property {number} [notes] how many are loaded before it serves, of 400 bytes each
 */

/** @type {ServiceSettings} */
const { store, location, blobs, processes, notes } = JSON.parse(process.argv[2] ?? '')
const open = STORES[store]
if (!open) throw new Error(`There is no store '${store}'.`)

const Account = model(
  'account',
  {
    entries: toMany('entry', { inverse: 'account' }),
    entryCount: rollup('entries', { count: true }),
    total: rollup('entries', { sum: 'number' }),
  },
  { ids: 'client' },
)
const Tag = model('tag', { entries: toMany('entry', { inverse: 'tags' }) }, { ids: 'client' })
const Entry = model('entry', {
  number: field(z.int(), { index: true }),
  step: z.int(),
  account: toOne('account'),
  tags: toMany('tag'),
  attachment: file(),
})
const Note = model('note', { text: z.string() })
const Counter = model('counter', { value: z.int(), hash: hash() }, { ids: 'client' })

const router = createRouter({
  policy: rest(),
  store: open(location),
  blobs: store === 'postgres' ? postgresBlobs(location) : fileBlobs(blobs),
  changes: true,
  idempotency: true,
  // Positions of changes outlive the service.
  security: { cursorSecret: 'a secret of the harness that is long enough' },
  onError(error) {
    // While PostgreSQL is down, each request is answered with 503.
    if (!(error instanceof StoreUnavailable)) console.error(error)
  },
})
for (const each of [Account, Tag, Entry, Note, Counter]) router.prepare(each)
if (notes !== undefined) await router.load(Note, manyNotes(notes))
const workers = processes === 1 ? {} : { workers: processes }
const server = await serve(router, { host: HOST, port: 0, ...workers })
if (server.role !== 'worker') serving(server.port, () => server.close(), facts)

/** @param {number} count */
function* manyNotes(count) {
  for (let index = 0; index < count; index++)
    yield { id: `n${index}`, text: `Note ${index}. ${'x'.repeat(350)}` }
}

/** What only this process knows; with `--expose-gc`, after a garbage collection. */
function facts() {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout')
  return { residentMiB: rss / 2 ** 20, heapMiB: heapUsed / 2 ** 20, timers: timers.length }
}
