// The bench: the library and hand-written servers, with the same table, the same responses, in the
// same run.
//   node bench/run.mjs [--quick] [--rounds=5] [--seconds=2] [--only=item,list]
//     [--servers=node-http,fastify] [--json=file] [--against=<commit>]

import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { costsOf } from './harness/collections.mjs'
import { load } from './harness/load.mjs'
import { OF_OTHER_COMMIT, ROWS_OF, readOptions } from './harness/options.mjs'
import { buildCommit } from './harness/other-commit.mjs'
import { stopAll } from './harness/processes.mjs'
import { checkSameDocuments } from './harness/same-documents.mjs'
import { checkSameWork } from './harness/same-work.mjs'
import { checkBuilt, serverFactory } from './harness/servers.mjs'
import { printed, spreadsOf } from './harness/table.mjs'

const options = readOptions(process.argv.slice(2))
checkBuilt(options.servers)
const other = options.against === undefined ? undefined : buildCommit(options.against)
const factory = serverFactory(options.durability, other?.bench)

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, async () => {
    await cleanUp()
    process.exit(1)
  })
}

try {
  for (const server of options.servers) {
    note(`${server}: the data, and a check that the responses are the same`)
    await factory.seed(server)
    const isOtherCommit = OF_OTHER_COMMIT.includes(server)
    for (const check of checksOf(server))
      await factory.with(server, (started) => check(started, { isOtherCommit }))
  }
  report(await measure())
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await cleanUp()
}

async function measure() {
  /** @type {import('./harness/table.mjs').Measurement[]} */
  const measurements = []
  for (const row of options.rows) {
    for (let round = 1; round <= options.rounds; round++) {
      // In turns, so that other load on the machine affects all of them alike.
      for (const server of options.servers.filter((server) => ROWS_OF[server]?.includes(row))) {
        measurements.push({ row, server, round, result: await resultOf(row, server) })
      }
      note(`${row}: round ${round} of ${options.rounds}`)
    }
  }
  return measurements
}

/**
 * @param {string} row
 * @param {string} server
 */
async function resultOf(row, server) {
  const { result, collections, startTime } = await factory.with(server, async (started) => ({
    ...started,
    result: { ...(await load(row, started, options)), ...(await started.facts()) },
  }))
  return { ...result, ...costsOf(collections, startTime, result) }
}

/** @param {string} server */
function checksOf(server) {
  // Its hook sets a value, so its responses differ.
  if (server === 'resourcery-hooks') return []
  const rows = ROWS_OF[server] ?? []
  return [
    ...(rows.includes('item') ? [checkSameWork] : []),
    ...(rows.includes('json-api-item') ? [checkSameDocuments] : []),
  ]
}

/** @param {import('./harness/table.mjs').Measurement[]} measurements */
function report(measurements) {
  const lines = spreadsOf(measurements, options.servers)
  const { rounds, seconds, connections, durability } = options
  const machine = `Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model ?? 'processor'}`
  console.log(`\n${machine}, ${connections} connections, durability ${durability}`)
  if (other) console.log(`before is the library at ${other.commit}`)
  console.log(`Medians of ${rounds} rounds of ${seconds} s, smallest and largest in brackets\n`)
  console.log(printed(lines, options.servers))
  if (!options.json) return
  const content = { date: new Date().toISOString(), machine, options, spreads: lines, measurements }
  writeFileSync(options.json, `${JSON.stringify(content, null, 2)}\n`)
}

async function cleanUp() {
  await stopAll()
  await factory.remove()
  other?.remove()
}

/** @param {string} text */
function note(text) {
  console.error(text)
}
