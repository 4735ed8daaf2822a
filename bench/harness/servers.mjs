// Every measurement gets a new process on a new copy of the same data: no row inherits warm caches,
// garbage or new rows from an earlier one.

import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isOverPostgres } from './options.mjs'
import { startPostgres } from './postgres.mjs'
import { run, stop } from './processes.mjs'

const SECONDS_TO_SEED = 180
const SECONDS_TO_START = 20

/** The program of each server and its arguments. @type {Readonly<Record<string, string[]>>} */
const PROGRAMS = {
  'node-http': ['../rivals/node-http.mjs'],
  'node-http-sql': ['../rivals/node-http.mjs', 'columns'],
  fastify: ['../rivals/fastify.mjs'],
  'node-http-json-api': ['../rivals/node-http-json-api.mjs'],
  'node-http-json-api-sql': ['../rivals/node-http-json-api.mjs', 'columns'],
  resourcery: ['../resourcery.mjs'],
  'resourcery-hooks': ['../resourcery.mjs', 'hooks'],
  'resourcery-access': ['../resourcery.mjs', 'access'],
  'node-http-pg': ['../rivals/node-http-pg.mjs'],
  'fastify-pg': ['../rivals/fastify-pg.mjs'],
  'resourcery-pg': ['../resourcery-pg.mjs'],
}

/**
 * @typedef {{ port: number, pid: number, facts: () => Promise<object>, stop: () => Promise<void> }}
 * Server
 */

/** @param {'full' | 'normal'} durability */
export function serverFactory(durability) {
  const root = mkdtempSync(join(tmpdir(), 'resourcery-bench-'))
  let copies = 0

  /**
   * @param {string} name
   * @param {Record<string, string>} place where its data are
   * @param {number} patience seconds
   * @returns {Promise<Server>}
   */
  const start = async (name, place, patience) => {
    const [program = '', ...args] = PROGRAMS[name] ?? []
    const file = fileURLToPath(new URL(program, import.meta.url))
    const child = run(file, args, { ...place, DURABILITY: durability, PORT: '0' })
    const port = await listeningPort(child, name, patience)
    return { port, pid: child.pid ?? 0, facts: () => factsOf(child), stop: () => stop(child) }
  }

  /** @type {Promise<import('./postgres.mjs').Postgres> | undefined} */
  let postgres

  /** The library makes and fills the tables, so that all servers have the same ones. */
  const seededPostgres = () => {
    postgres ??= (async () => {
      const started = await startPostgres(join(root, 'postgres'), durability)
      const url = started.createDatabase('seeded')
      const server = await start('resourcery-pg', { DATABASE_URL: url }, SECONDS_TO_SEED)
      await server.stop()
      started.analyze('seeded')
      return started
    })()
    return postgres
  }

  /**
   * @template T
   * @param {string} name
   * @param {(server: Server) => Promise<T>} use
   */
  const withDatabase = async (name, use) => {
    const { createDatabase, dropDatabase } = await seededPostgres()
    const database = `copy_${copies++}`
    const url = createDatabase(database, 'seeded')
    const server = await start(name, { DATABASE_URL: url }, SECONDS_TO_START)
    try {
      return await use(server)
    } finally {
      await server.stop()
      dropDatabase(database)
    }
  }

  return {
    /**
     * The first start of a server fills its database; the other starts copy that file.
     * @param {string} name
     */
    async seed(name) {
      if (isOverPostgres(name)) return void (await seededPostgres())
      const server = await start(name, { DATA_DIR: join(root, name) }, SECONDS_TO_SEED)
      await server.stop()
    },

    /**
     * @template T
     * @param {string} name
     * @param {(server: Server) => Promise<T>} use
     */
    async with(name, use) {
      if (isOverPostgres(name)) return withDatabase(name, use)
      const folder = join(root, `${name}-${copies++}`)
      cpSync(join(root, name), folder, { recursive: true })
      const server = await start(name, { DATA_DIR: folder }, SECONDS_TO_START)
      try {
        return await use(server)
      } finally {
        await server.stop()
        rmSync(folder, { recursive: true, force: true })
      }
    },

    async remove() {
      await (await postgres)?.stop()
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/**
 * @param {import('./processes.mjs').Child} child
 * @returns {Promise<object>}
 */
async function factsOf(child) {
  const response = once(child, 'message')
  child.send('facts')
  const [facts] = await response
  return facts
}

/** @param {string[]} servers */
export function checkBuilt(servers) {
  if (
    servers.some((server) => server.startsWith('resourcery') || isOverPostgres(server)) &&
    !existsSync(new URL('../../dist/index.js', import.meta.url))
  ) {
    throw new Error(
      'The library is not built: npm run build, or leave it out with --servers=node-http,fastify,node-http-json-api',
    )
  }
}

/**
 * @param {import('./processes.mjs').Child} child
 * @param {string} name
 * @param {number} patience
 * @returns {Promise<number>}
 */
function listeningPort(child, name, patience) {
  return new Promise((resolve, reject) => {
    const impatience = setTimeout(
      () => reject(new Error(`${name} did not start in ${patience} s.`)),
      patience * 1_000,
    )
    child.once('exit', (code) =>
      reject(new Error(`${name} ended with ${code} before it listened.`)),
    )
    createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }).on(
      'line',
      (line) => {
        const port = /^listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
        if (!port) return
        clearTimeout(impatience)
        resolve(Number(port))
      },
    )
  })
}
