import { existsSync, readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * @typedef {object} Traces what clients may leave behind
 * @property {number} blobs files or rows, and uploads that are not finished
 * @property {number} busy transactions and statements of PostgreSQL
 * @property {number} locks
 * @property {number} descriptors
 * @property {number} timers
 * @property {number} heapMiB
 * @property {number} residentMiB
 */

/** How much more of each there may be; memory is what the allocator keeps. @type {Traces} */
const most = {
  blobs: 0,
  busy: 0,
  locks: 0,
  // Threads open the database when they are first used, and so does the pool.
  descriptors: 12,
  timers: 2,
  heapMiB: 8,
  residentMiB: 128,
}

export const traceNames = /** @type {(keyof Traces)[]} */ (Object.keys(most))

/**
 * @param {import('../harness/services.mjs').Service} service
 * @param {string} blobFolder
 * @param {import('../harness/postgres-server.mjs').PostgresServer | undefined} server
 * @returns {Promise<Traces>}
 */
export async function tracesOf(service, blobFolder, server) {
  const facts = await service.facts()
  if (!server) return { ...facts, blobs: filesIn(blobFolder), busy: 0, locks: 0 }
  const [row = {}] = await server.query(
    `select (select count(*)::int from resourcery_blobs)
       + (select count(distinct key)::int from resourcery_blob_chunks) as blobs,
     (select count(*)::int from pg_stat_activity where datname = current_database()
       and state <> 'idle' and pid <> pg_backend_pid()) as busy,
     (select count(*)::int from pg_locks where pid <> pg_backend_pid() and database =
       (select oid from pg_database where datname = current_database())) as locks`,
    'vanishing',
  )
  return { ...facts, blobs: row.blobs, busy: row.busy, locks: row.locks }
}

/**
 * Waits until there is no more than before, and names what there still is 20 s later.
 *
 * @param {Traces} before
 * @param {() => Promise<Traces>} look
 * @returns {Promise<{ after: Traces, left: (keyof Traces)[] }>}
 */
export async function whatStays(before, look) {
  const deadline = performance.now() + 20_000
  for (;;) {
    const after = await look()
    const left = traceNames.filter((name) => after[name] > before[name] + most[name])
    if (left.length === 0 || performance.now() > deadline) return { after, left }
    await wait(250)
  }
}

/** @param {string} folder */
function filesIn(folder) {
  if (!existsSync(folder)) return 0
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).length
}
