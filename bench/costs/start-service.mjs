// A service over a store with new data, and what it has used so far.

import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { startPostgres } from '../harness/postgres.mjs'
import { run, stop } from '../harness/processes.mjs'
import { waitMs } from './load-process.mjs'
import { mainThreadOf, serverUs, serverWrittenBytes, writtenBytes } from './usage.mjs'

const FILE = fileURLToPath(new URL('service.mjs', import.meta.url))

/**
 * @typedef {object} Usage microseconds and bytes since the start
 * @property {number} serviceUs of the process with all of its threads
 * @property {number} mainThreadUs
 * @property {number} writerUs while the lock of the SQLite file was held
 * @property {number} queuedUs while the main thread waited for a processor
 * @property {number} loopUs while the event loop had work
 * @property {number} commits of the SQLite file
 * @property {number} databaseUs of the database server
 * @property {number} walBytes
 * @property {number} writtenBytes by the service and the database server
 *
 * @typedef {object} Service
 * @property {number} port
 * @property {() => Promise<Usage>} usage
 */

/** @param {string} root a folder that is there */
export function services(root) {
  /** @type {Promise<import('../harness/postgres.mjs').Postgres> | undefined} */
  let postgres
  let count = 0

  /**
   * @template T
   * @param {{ store: string, books: number, settleMs: number, hasLog: boolean }} what
   * @param {(service: Service) => Promise<T>} use
   */
  const withService = async ({ store, books, settleMs, hasLog }, use) => {
    const name = `books_${count++}`
    const folder = join(root, name)
    mkdirSync(folder, { recursive: true })
    if (store !== 'postgres')
      return useService(
        folder,
        '',
        async () => [0, 0, 0],
        () => {},
      )
    postgres ??= startPostgres(join(root, 'postgres'), 'full')
    const server = await postgres
    const serverPid = Number.parseInt(
      readFileSync(join(root, 'postgres', 'data', 'postmaster.pid'), 'latin1'),
      10,
    )
    const url = server.createDatabase(name)
    const client = new pg.Client(url)
    await client.connect()
    const databaseUsage = async () => {
      const { rows } = await client.query("select pg_current_wal_insert_lsn() - '0/0' as bytes")
      return [serverUs(serverPid), Number(rows[0].bytes), serverWrittenBytes(serverPid)]
    }
    try {
      return await useService(folder, url, databaseUsage, () => server.analyze(name))
    } finally {
      await client.end()
      server.dropDatabase(name)
    }

    /**
     * @param {string} folder
     * @param {string} url
     * @param {() => Promise<number[]>} databaseUsage
     * @param {() => void} analyze
     */
    async function useService(folder, url, databaseUsage, analyze) {
      const environment = {
        STORE: store,
        BOOKS: String(books),
        DATA_DIR: folder,
        DATABASE_URL: url,
        LOG: hasLog ? '1' : '0',
      }
      // The first start fills the store and checks what it has, and a later one finds it so.
      if (store !== 'memory') await stop((await startProcess(environment, settleMs)).child)
      analyze()
      const { child, port, pid } = await startProcess(environment, settleMs)
      try {
        return await use({ port, usage: () => usageOf(child, pid, databaseUsage) })
      } finally {
        await stop(child)
      }
    }
  }

  return { withService, stop: async () => (await postgres)?.stop() }
}

/**
 * @param {Record<string, string>} environment
 * @param {number} settleMs for what the service does in the background after a start
 */
async function startProcess(environment, settleMs) {
  const child = run(FILE, [], environment)
  const output = createInterface({ input: /** @type {any} */ (child.stdout) })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`The service ended with ${code} before it listened.`)
  })
  failed.catch(() => {})
  const [line] = await Promise.race([once(output, 'line'), failed])
  await waitMs(settleMs)
  return { child, port: Number(/:(\d+)$/.exec(line)?.[1]), pid: Number(child.pid) }
}

/**
 * @param {import('../harness/processes.mjs').Child} child
 * @param {number} pid
 * @param {() => Promise<number[]>} databaseUsage
 * @returns {Promise<Usage>}
 */
async function usageOf(child, pid, databaseUsage) {
  const answered = once(child, 'message')
  child.send('facts')
  const [{ writerUs, commits, processor, loopUs }] = await answered
  const thread = mainThreadOf(pid)
  const [databaseUs = 0, walBytes = 0, serverBytes = 0] = await databaseUsage()
  return {
    serviceUs: processor.user + processor.system,
    mainThreadUs: thread.computedUs,
    queuedUs: thread.queuedUs,
    loopUs,
    writerUs,
    commits,
    databaseUs,
    walBytes,
    writtenBytes: writtenBytes(pid) + serverBytes,
  }
}
