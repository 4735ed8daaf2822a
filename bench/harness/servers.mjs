// Every measurement gets a new process on a new copy of the same data: no row inherits warm caches,
// garbage or new rows from an earlier one.

import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { collectionOf, REPORT_COLLECTIONS } from './collections.mjs'
import { isOverPostgres, OF_OTHER_COMMIT } from './options.mjs'
import { startPostgres } from './postgres.mjs'
import { run, stop } from './processes.mjs'

const SECONDS_TO_SEED = 180
const SECONDS_TO_START = 90
const MILLISECONDS_TO_ANSWER = 2_000

/** The benches of this commit. */
const OWN = new URL('../', import.meta.url)

/**
 * The program of each server below `bench`, and its arguments.
 *
 * @type {Readonly<Record<string, string[]>>}
 */
const PROGRAMS = {
  'node-http': ['rivals/node-http.mjs'],
  'node-http-sql': ['rivals/node-http.mjs', 'columns'],
  fastify: ['rivals/fastify.mjs'],
  'node-http-json-api': ['rivals/node-http-json-api.mjs'],
  'node-http-json-api-sql': ['rivals/node-http-json-api.mjs', 'columns'],
  resourcery: ['resourcery.mjs'],
  'resourcery-hooks': ['resourcery.mjs', 'hooks'],
  'resourcery-access': ['resourcery.mjs', 'access'],
  'node-http-pg': ['rivals/node-http-pg.mjs'],
  'fastify-pg': ['rivals/fastify-pg.mjs'],
  'resourcery-pg': ['resourcery-pg.mjs'],
  before: ['resourcery.mjs'],
  'before-pg': ['resourcery-pg.mjs'],
}

/**
 * @typedef {{ port: number, pid: number, facts: () => Promise<object>, ask:
 * (question: string) => Promise<object>, stop: () => Promise<void>,
 * startTime: number, collections: import('./collections.mjs').Collection[] }} Server its
 * collections are complete when it has stopped
 * @typedef {(server: Server) => Promise<void>} BeforeStop
 */

/**
 * @param {'full' | 'normal'} durability
 * @param {URL | undefined} otherBench the benches of the other commit of the library
 * @param {'inherit' | 'ignore'} errors where the servers report errors
 * @param {string[]} nodeOptions of the servers
 */
export function serverFactory(
  durability,
  otherBench,
  errors = 'inherit',
  nodeOptions = REPORT_COLLECTIONS,
) {
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
    const bench = OF_OTHER_COMMIT.includes(name) ? otherBench : OWN
    const file = fileURLToPath(new URL(program, bench))
    const startTime = Date.now()
    const environment = { ...place, DURABILITY: durability, PORT: '0' }
    const child = run(file, args, environment, errors, nodeOptions)
    const output = createInterface({
      input: /** @type {import('node:stream').Readable} */ (child.stdout),
    })
    const outputEnd = once(output, 'close')
    /** @type {Server['collections']} */
    const collections = []
    output.on('line', (line) => {
      const collection = collectionOf(line)
      if (collection) collections.push(collection)
    })
    const port = await listeningPort(child, output, name, patience)
    return {
      port,
      pid: child.pid ?? 0,
      facts: () => Promise.race([answerOf(child, 'facts'), silence()]),
      ask: (question) => answerOf(child, question),
      async stop() {
        await stop(child)
        await outputEnd
      },
      startTime,
      collections,
    }
  }

  /** @type {Promise<import('./postgres.mjs').Postgres> | undefined} */
  let postgres

  /** @type {Map<string, Promise<string>>} the filled database of each library */
  const seeded = new Map()

  /**
   * The library makes and fills the tables, so that all servers have the same ones.
   *
   * @param {string} library
   * @param {BeforeStop} beforeStop
   */
  const seed = async (library, beforeStop) => {
    postgres ??= startPostgres(join(root, 'postgres'), durability)
    const { createDatabase, analyze } = await postgres
    const database = `seeded_${seeded.size}`
    const url = createDatabase(database)
    const server = await start(library, { DATABASE_URL: url }, SECONDS_TO_SEED)
    await beforeStop(server)
    await server.stop()
    analyze(database)
    return database
  }

  /**
   * @param {string} name
   * @param {BeforeStop} beforeStop
   */
  const seededDatabase = (name, beforeStop = async () => {}) => {
    const library = name === 'before-pg' ? name : 'resourcery-pg'
    const database = seeded.get(library) ?? seed(library, beforeStop)
    seeded.set(library, database)
    return database
  }

  /**
   * @template T
   * @param {string} name
   * @param {(server: Server) => Promise<T>} use
   */
  const withDatabase = async (name, use) => {
    const template = await seededDatabase(name)
    const { createDatabase, dropDatabase } = await /** @type {NonNullable<typeof postgres>} */ (
      postgres
    )
    const database = `copy_${copies++}`
    const url = createDatabase(database, template)
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
     * @param {BeforeStop} beforeStop what happens before the data are copied
     */
    async seed(name, beforeStop = async () => {}) {
      if (isOverPostgres(name)) return void (await seededDatabase(name, beforeStop))
      const server = await start(name, { DATA_DIR: join(root, name) }, SECONDS_TO_SEED)
      await beforeStop(server)
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
 * @param {string} question
 * @returns {Promise<object>}
 */
async function answerOf(child, question) {
  const response = once(child, 'message')
  child.send(question)
  const [answer] = await response
  return answer
}

/** The servers of early commits know no questions. */
async function silence() {
  await sleep(MILLISECONDS_TO_ANSWER, undefined, { ref: false })
  return {}
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
 * @param {import('node:readline').Interface} output
 * @param {string} name
 * @param {number} patience
 * @returns {Promise<number>}
 */
function listeningPort(child, output, name, patience) {
  return new Promise((resolve, reject) => {
    const impatience = setTimeout(
      () => reject(new Error(`${name} did not start in ${patience} s.`)),
      patience * 1_000,
    )
    child.once('exit', (code) =>
      reject(new Error(`${name} ended with ${code} before it listened.`)),
    )
    output.on('line', (line) => {
      const port = /^listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
      if (!port) return
      clearTimeout(impatience)
      resolve(Number(port))
    })
  })
}
