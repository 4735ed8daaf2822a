// How long requests over many rows take, beside SQL written by hand for the same answers, and a
// handler written by hand that sends the same JSON, in the same run.
//   node bench/million.mjs [--rows=1000000]
//     [--stores=postgres,sqlite-tables,sqlite-tables-with-planned-indexes,sqlite-own-tables,
//     sqlite-documents,postgres-search,sqlite-tables-search,sqlite-documents-search]
//     [--only=sort,include] [--rounds=7] [--json=file]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual, parseArgs } from 'node:util'
import { serve } from 'resourcery/node'
import { spreadOf } from './harness/spread.mjs'
import { serveByHand } from './million/handler.mjs'
import { requestsFor } from './million/requests.mjs'
import { SEARCH_STORES, searchRequests } from './million/search.mjs'
import { STORES } from './million/stores.mjs'

const allStores = { ...STORES, ...SEARCH_STORES }

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    stores: { type: 'string', default: Object.keys(allStores).join(',') },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
    json: { type: 'string' },
  },
})
const rows = Number(options.rows)
const rounds = Number(options.rounds)
/** How long rounds go on, beyond their least number. */
const roundsMs = 500
const beginnings = options.only.split(',')

/** @typedef {import('./million/requests.mjs').Request} Request */

/**
 * @typedef {{
 *   store: string
 *   name: string
 *   ownMs?: number
 *   handlerMs?: number
 *   sqlMs?: number
 * }} Row
 *   `ownMs` is undefined where a request failed, as one that takes longer than the time limit of
 *   statements
 */

/** @type {Row[]} */
const table = []
for (const store of options.stores.split(',')) await measure(store)
if (options.json) writeFileSync(options.json, JSON.stringify(table, undefined, 2))

/** @param {string} store */
async function measure(store) {
  const open = allStores[store]
  if (!open) throw new Error(`There is no store '${store}': ${Object.keys(allStores).join(', ')}.`)
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-million-'))
  const { router, rowsOf, close } = await open(folder, rows)
  const engine = store.startsWith('postgres') ? 'postgres' : 'sqlite'
  const allRequests = store in SEARCH_STORES ? searchRequests() : requestsFor(rows, engine)
  const requests = allRequests.filter(({ name }) =>
    beginnings.some((beginning) => name.startsWith(beginning)),
  )
  if (rowsOf) await fillPositions(requests, rowsOf)
  const server = await serve(router, { host: '127.0.0.1', port: 0 })
  const byHand = rowsOf && (await serveByHand(requests, rowsOf))
  const agent = new Agent({ keepAlive: true })
  const heads = ['ms', 'handler', 'SQL', '/handler', '/SQL'].map((head) => head.padStart(9))
  console.log(`\n${`${store}, ${rows} rows`.padEnd(52)}`, ...heads)
  try {
    for (const [index, request] of requests.entries()) {
      const path = await pathOf(agent, server.port, request).catch(reported)
      const own = path === undefined ? undefined : () => responseOf(agent, server.port, path)
      const handler = byHand && (() => responseOf(agent, byHand.port, `/${index}`))
      const statements = rowsOf && (() => runAll(request.sql, rowsOf))
      if (own && handler) await compareDocuments(request, own, handler).catch(reported)
      const times = await timesOf([own, handler, statements])
      const [ownTimes = [], handlerTimes = [], sqlTimes = []] = times
      const [ownMs, handlerMs, sqlMs] = times.map(medianOf)
      table.push({
        store,
        name: request.name,
        ...(ownMs !== undefined && { ownMs }),
        ...(handlerMs !== undefined && { handlerMs }),
        ...(sqlMs !== undefined && { sqlMs }),
      })
      const figures = [ownMs, handlerMs, sqlMs].map((value) => value?.toFixed(2) ?? '–')
      const ratios = [handlerTimes, sqlTimes].map((others) => ratioOf(ownTimes, others))
      const cells = [...figures, ...ratios].map((cell) => cell.padStart(9))
      console.log(request.name.padEnd(52), ...cells)
    }
  } finally {
    agent.destroy()
    await byHand?.close()
    await server.close()
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {readonly number[]} times */
function medianOf(times) {
  return times.length === 0 ? undefined : spreadOf([...times]).median
}

/**
 * The median of the ratios of each round, whose works had the same load of the machine.
 *
 * @param {readonly number[]} own
 * @param {readonly number[]} others
 */
function ratioOf(own, others) {
  if (own.length === 0 || others.length === 0) return '–'
  return spreadOf(others.map((time, round) => (own[round] ?? Number.NaN) / time)).median.toFixed(2)
}

/** @param {unknown} error */
function reported(error) {
  process.exitCode = 1
  console.error(String(error))
  return undefined
}

/**
 * @param {readonly Request[]} requests
 * @param {NonNullable<import('./million/stores.mjs').Measured['rowsOf']>} rowsOf
 */
async function fillPositions(requests, rowsOf) {
  for (const { sql, position } of requests) {
    if (!position) continue
    const [row] = await rowsOf(position)
    for (const statement of sql) statement.parameters = Object.values(row ?? {})
  }
}

/**
 * @param {readonly import('./million/requests.mjs').Statement[]} statements
 * @param {NonNullable<import('./million/stores.mjs').Measured['rowsOf']>} rowsOf
 */
async function runAll(statements, rowsOf) {
  for (const statement of statements) await rowsOf(statement)
}

/**
 * @param {Agent} agent
 * @param {number} port
 * @param {Request} request
 */
async function pathOf(agent, port, { path: firstPath, pagesAhead = 0 }) {
  let path = firstPath
  for (let page = 0; page < pagesAhead; page++)
    path = (await responseOf(agent, port, path)).next ?? path
  return path
}

/**
 * Included items may have another order.
 *
 * @param {Request} request
 * @param {() => Promise<{ text: string }>} own
 * @param {() => Promise<{ text: string }>} handler
 */
async function compareDocuments({ name, path }, own, handler) {
  const [, listed = ''] = /^\/(\w+)/.exec(path) ?? []
  const inOrder = (/** @type {{ text: string }} */ { text }) =>
    Object.entries(JSON.parse(text)).map(([member, value]) => [
      member,
      Array.isArray(value) && member !== listed
        ? value.toSorted((one, other) => (one.id < other.id ? -1 : 1))
        : value,
    ])
  if (!isDeepStrictEqual(inOrder(await own()), inOrder(await handler())))
    throw new Error(`'${name}': the handler written by hand sends another document.`)
}

/**
 * The times of works that run in turn, so that other load of the machine hits each of them.
 * Rounds that are not counted come first, until caches are filled and the code is compiled: with
 * short requests that takes many.
 *
 * @param {readonly ((() => Promise<unknown>) | undefined)[]} works
 */
async function timesOf(works) {
  await repeat(works, 2)
  return repeat(works, rounds)
}

/**
 * @param {readonly ((() => Promise<unknown>) | undefined)[]} works
 * @param {number} leastRounds
 */
async function repeat(works, leastRounds) {
  const times = works.map(() => /** @type {number[]} */ ([]))
  const beginning = performance.now()
  for (let round = 0; round < leastRounds || performance.now() - beginning < roundsMs; round++)
    for (const [index, work] of works.entries()) {
      const start = performance.now()
      await work?.()
      if (work) times[index]?.push(performance.now() - start)
    }
  return times
}

/**
 * @param {Agent} agent
 * @param {number} port
 * @param {string} path
 * @returns {Promise<{ text: string, next: string | undefined }>}
 */
function responseOf(agent, port, path) {
  return new Promise((resolve, reject) => {
    const request = get({ agent, host: '127.0.0.1', port, path }, (response) => {
      response.setEncoding('utf8')
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode !== 200)
          reject(new Error(`${path}: ${response.statusCode} ${text}`))
        else {
          const [, next] = /<([^>]+)>; rel="next"/.exec(String(response.headers.link)) ?? []
          resolve({ text, next })
        }
      })
    })
    request.on('error', (error) => {
      // While a statement takes longer than a connection may be idle, the server closes it.
      const { code } = /** @type {NodeJS.ErrnoException} */ (error)
      if (request.reusedSocket && code === 'ECONNRESET') resolve(responseOf(agent, port, path))
      else reject(error)
    })
  })
}
