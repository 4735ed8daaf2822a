// How long requests over many rows take, beside SQL written by hand for the same answers in the
// same run.
//   node bench/million.mjs [--rows=1000000] [--stores=postgres,sqlite-tables,sqlite-documents]
//     [--only=sort,include] [--rounds=7] [--json=file]

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serve } from 'resourcery/node'
import { spreadOf } from './harness/spread.mjs'
import { requestsFor } from './million/requests.mjs'
import { STORES } from './million/stores.mjs'

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', default: '1000000' },
    stores: { type: 'string', default: Object.keys(STORES).join(',') },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: '7' },
    json: { type: 'string' },
  },
})
const rows = Number(options.rows)
const rounds = Number(options.rounds)
const beginnings = options.only.split(',')

/**
 * @typedef {{ store: string, name: string, ownMs?: number, sqlMs?: number }} Row
 *   `ownMs` is undefined where a request failed, as one that takes longer than the time limit of
 *   statements
 */

/** @type {Row[]} */
const table = []
for (const store of options.stores.split(',')) await measure(store)
if (options.json) writeFileSync(options.json, JSON.stringify(table, undefined, 2))

/** @param {string} store */
async function measure(store) {
  const open = STORES[store]
  if (!open) throw new Error(`There is no store '${store}': ${Object.keys(STORES).join(', ')}.`)
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-million-'))
  const { router, sql, instant, close } = await open(folder, rows)
  const server = await serve(router, { host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  console.log(`\n${store}, ${rows} rows`.padEnd(54), '    ms      SQL    ratio')
  try {
    for (const request of requestsFor(rows, instant)) {
      if (!beginnings.some((beginning) => request.name.startsWith(beginning))) continue
      const ownMs = await ownMedianOf(agent, server.port, request).catch((error) => {
        console.error(String(error))
        return undefined
      })
      const sqlMs =
        sql &&
        (await medianOf(async () => {
          for (const statement of request.sql) await sql(statement)
        }))
      table.push({
        store,
        name: request.name,
        ...(ownMs !== undefined && { ownMs }),
        ...(sqlMs !== undefined && { sqlMs }),
      })
      const cells = [ownMs, sqlMs].map((value) => (value?.toFixed(1) ?? '–').padStart(8))
      const ratio = ownMs === undefined || sqlMs === undefined ? '–' : (ownMs / sqlMs).toFixed(1)
      console.log(request.name.padEnd(52), ...cells, ratio.padStart(8))
    }
  } finally {
    agent.destroy()
    await server.close()
    await close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {Agent} agent
 * @param {number} port
 * @param {import('./million/requests.mjs').Request} request
 */
async function ownMedianOf(agent, port, { path: firstPath, pagesAhead = 0 }) {
  let path = firstPath
  const fetched = () => responseOf(agent, port, path)
  for (let page = 0; page < pagesAhead; page++) path = (await fetched()).next ?? path
  return medianOf(fetched)
}

/**
 * The first calls are not measured: they compile statements, and fill caches of plans and pages.
 *
 * @param {() => Promise<unknown>} work
 */
async function medianOf(work) {
  const times = []
  for (let round = -2; round < rounds; round++) {
    const start = performance.now()
    await work()
    if (round >= 0) times.push(performance.now() - start)
  }
  return spreadOf(times).median
}

/**
 * @param {Agent} agent
 * @param {number} port
 * @param {string} path
 * @returns {Promise<{ next: string | undefined }>}
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
        else resolve({ next: /<([^>]+)>; rel="next"/.exec(String(response.headers.link))?.[1] })
      })
    })
    request.on('error', reject)
  })
}
