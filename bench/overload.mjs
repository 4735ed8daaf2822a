// From how many requests at a time on a service responds with 503: a mixed load of items, lists,
// includes, scans, creates and patches, at rising concurrency.
//   node bench/overload.mjs [--store=sqlite|postgres] [--mix=usual|lists]
//     [--connections=1,4,16,64,256,1000] [--seconds=2] [--json=file]
// With --flood=5, what it does with five times what it can carry, with and without the option
// `overload`; --connections is how many clients there are at most, 1000 by default.

import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { stopAll } from './harness/processes.mjs'
import { checkBuilt, serverFactory } from './harness/servers.mjs'
import { floodLines, measureFlood } from './overload/measure-flood.mjs'
import { MIXES, mixedRequests } from './overload/mixed-requests.mjs'
import { runStep } from './overload/step.mjs'

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'sqlite' },
    mix: { type: 'string', default: 'usual' },
    connections: { type: 'string' },
    flood: { type: 'string' },
    seconds: { type: 'string', default: '2' },
    json: { type: 'string' },
  },
})
const SERVERS = new Map([
  ['sqlite', 'resourcery'],
  ['postgres', 'resourcery-pg'],
])
const server = SERVERS.get(options.store)
if (!server) throw new Error(`--store must be ${[...SERVERS.keys()].join(' or ')}.`)
const kinds = kindsOf(options.mix)
const counts = (options.connections ?? '1,4,16,64,256,1000').split(',').map(Number)

checkBuilt([server])
// A service reports each refusal of its store; the table counts them.
const servers = serverFactory('full', undefined, 'ignore')
try {
  await servers.seed(server)
  if (options.flood === undefined) await measureSteps(server)
  else await measureFloods(server, Number(options.flood))
} finally {
  await stopAll()
  await servers.remove()
}

/** @param {string} mix */
function kindsOf(mix) {
  const named = MIXES[mix]
  if (!named) throw new Error(`--mix must be ${Object.keys(MIXES).join(' or ')}.`)
  return named
}

/** @param {string} server */
async function measureSteps(server) {
  const steps = await servers.with(server, measure)
  if (options.json) writeFileSync(options.json, JSON.stringify(steps, undefined, 2))
  const first = steps.find(({ refusals }) => Object.keys(refusals).length > 0)
  console.log(
    first
      ? `\n503 begins at ${first.connections} connections.`
      : `\nNo 503 with up to ${counts.at(-1)} connections.`,
  )
  if (steps.some(({ failures }) => failures.length > 0)) process.exitCode = 1
}

/**
 * @param {string} server
 * @param {number} times
 */
async function measureFloods(server, times) {
  const load = { times, seconds: Number(options.seconds), connections: counts.at(-1) ?? 0 }
  const nextRequest = await mixedRequests(kinds)
  for (const overload of ['1', '']) {
    process.env.OVERLOAD = overload
    const figures = await servers.with(server, async ({ port }) => {
      await runStep(port, 8, 2, nextRequest)
      return measureFlood(port, load, nextRequest)
    })
    console.log(`\n${overload === '' ? 'without' : 'with'} overload: true`)
    for (const line of floodLines(figures)) console.log(`  ${line}`)
    if (figures.during.failures.length > 0) process.exitCode = 1
  }
}

/** @param {import('./harness/servers.mjs').Server} running */
async function measure({ port }) {
  const nextRequest = await mixedRequests(kinds)
  // The caches of the database and the compiler of Node need more than a second.
  await runStep(port, 8, 2, nextRequest)
  console.log(
    printed(['connections', 'requests/s', 'p50 ms', 'p99 ms', 'item p99', '503/s', 'codes']),
  )
  const steps = []
  for (const connections of counts) {
    const step = await runStep(port, connections, Number(options.seconds), nextRequest)
    steps.push(step)
    const codes = Object.entries(step.refusals).map(([key, count]) => `${count} x ${key}`)
    console.log(
      printed([
        String(connections),
        step.requestsPerSecond.toFixed(0),
        step.p50?.toFixed(1) ?? '–',
        step.p99?.toFixed(1) ?? '–',
        step.itemP99?.toFixed(1) ?? '–',
        step.refusalsPerSecond.toFixed(0),
        codes.join(', '),
      ]),
    )
    for (const failure of step.failures) console.error(`  failed: ${failure}`)
  }
  return steps
}

/** @param {readonly string[]} cells */
function printed(cells) {
  const [codes, ...rest] = cells.toReversed()
  return `${rest
    .reverse()
    .map((cell) => cell.padStart(12))
    .join('')}  ${codes}`
}
