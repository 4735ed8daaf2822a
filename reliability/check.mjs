// `resourcery check` over both examples, again and again: no violation, no 5xx, and no growth.
//   node reliability/check.mjs [--requests=1000000] [--runs=20] [--seed=1] [--short]

import { parseArgs } from 'node:util'
import { check } from 'resourcery/check'
import { startExamples } from './check/examples.mjs'
import { trendOf } from './check/trend.mjs'
import { countOf } from './harness/chosen.mjs'
import { inRunFolder } from './harness/in-run-folder.mjs'
import { Report } from './harness/report.mjs'

const { values } = parseArgs({
  options: {
    requests: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    short: { type: 'boolean', default: false },
  },
})
const wanted = countOf('requests', values.requests ?? (values.short ? 2_000 : 1_000_000))
const runs = countOf('runs', values.runs ?? (values.short ? 1 : 20))
/** Growth from the middle third of the run to the last one. */
const maxGrowth = { heapMiB: 8, descriptors: 8 }
const report = new Report()

await inRunFolder(async (folder) => {
  const examples = await startExamples(folder)
  /** @type {Map<string, { heapMiB: number[], descriptors: number[] }>} */
  const samples = new Map(examples.map(({ name }) => [name, { heapMiB: [], descriptors: [] }]))
  let seed = Number(values.seed)
  let sent = 0
  let succeeded = 0
  for (let round = 0; sent < wanted; round++) {
    for (const { name, bases, service, headers } of examples) {
      for (const base of bases) {
        const { requestCount, successCount } = await checkOnce(service.port, base, {
          runs,
          seed: seed++,
          headers: await headers(),
        })
        sent += requestCount
        succeeded += successCount
        const { heapMiB, descriptors } = await service.facts()
        samples.get(name)?.heapMiB.push(heapMiB)
        samples.get(name)?.descriptors.push(descriptors)
      }
    }
    if (round % 10 === 9) console.log(`${sent} requests; the next seed is ${seed}`)
  }
  console.log(
    `${sent} requests, ${succeeded} of them succeeded, seeds ${values.seed} to ${seed - 1}`,
  )
  for (const { name, service } of examples) {
    const sampled = samples.get(name)
    if (sampled) await judge(name, service, sampled)
  }
})

/**
 * @param {number} port
 * @param {string} base
 * @param {import('resourcery/check').CheckOptions} options
 */
async function checkOnce(port, base, options) {
  const url = new URL(`http://127.0.0.1:${port}${base}`)
  const response = await fetch(`${url}/openapi.json`, { headers: options.headers ?? {} })
  const document = /** @type {Document} */ (await response.json())
  const only = values.short ? { only: everyFourth(operationIds(document)) } : {}
  const result = await check(document, url, { ...options, ...only })
  for (const finding of result.findings)
    report.add('finding', `${base}, seed ${options.seed}: ${JSON.stringify(finding)}`)
  if (result.successCount === 0) report.add('finding', `${base}: no request succeeded.`)
  if (result.limitedCount > 0)
    console.log(`${base}: ${result.limitedCount} requests were refused by rate limits (429)`)
  return result
}

/**
 * @param {string} name
 * @param {import('./harness/services.mjs').Service} service
 * @param {{ heapMiB: number[], descriptors: number[] }} samples
 */
async function judge(name, service, { heapMiB, descriptors }) {
  const { statuses = {} } = await service.facts()
  const failed = Object.keys(statuses).filter((status) => Number(status) >= 500)
  for (const status of failed)
    if (status !== '501') report.add('5xx', `${name}: ${statuses[status]} times ${status}`)
  const growth = { heapMiB: trendOf(heapMiB), descriptors: trendOf(descriptors) }
  for (const what of /** @type {const} */ (['heapMiB', 'descriptors']))
    if ((growth[what] ?? 0) > maxGrowth[what])
      report.add('growth', `${name}: ${growth[what]?.toFixed(1)} ${what} more in the last third`)
  if (service.errors() !== '') report.add('printed', `${name}: ${service.errors()}`)
  const answers = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`)
  console.log(
    `${name}: heap ${heapMiB.at(0)?.toFixed(0)} → ${heapMiB.at(-1)?.toFixed(0)} MiB (${trend(growth.heapMiB)}), descriptors ${descriptors.at(0)} → ${descriptors.at(-1)} (${trend(growth.descriptors)}); ${answers.join(', ')}`,
  )
}

/** @param {number | undefined} growth */
function trend(growth) {
  return growth === undefined ? 'too few samples to judge growth' : `trend ${growth.toFixed(1)}`
}

/** @typedef {{ paths: Record<string, Record<string, { operationId?: string }>> }} Document */

/** @param {Document} document */
function operationIds({ paths }) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  return operations.flatMap(({ operationId }) => operationId ?? [])
}

/** @param {readonly string[]} ids */
function everyFourth(ids) {
  return ids.filter((_, index) => index % 4 === 0)
}
