// Failovers of PostgreSQL under Patroni, while clients write.
//   node reliability/failover.mjs [--failovers=100] [--writers=16] [--only='kill -9,SIGSTOP']

import { once } from 'node:events'
import { copyFileSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { run, stop } from '../bench/harness/processes.mjs'
import { checkWrites } from './failover/check-writes.mjs'
import { Cluster } from './failover/cluster.mjs'
import { failOver } from './failover/fail-over.mjs'
import { failures } from './failover/failures.mjs'
import { failoverLine, summaryLines, wrongFigures } from './failover/lines.mjs'
import { timings } from './failover/patroni-configuration.mjs'
import { createPromotionTable } from './failover/promotion.mjs'
import { Writers } from './failover/writers.mjs'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { newRunFolder, stopAll } from './harness/daemons.mjs'

const { values } = parseArgs({
  options: {
    failovers: { type: 'string', default: '100' },
    writers: { type: 'string', default: '16' },
    ways: { type: 'string', default: 'hosts,haproxy' },
    only: { type: 'string', default: failures.map(({ name }) => name).join(',') },
    // Keeps the logs of all programs there.
    logs: { type: 'string' },
  },
})
const failoverCount = countOf('failovers', values.failovers)
const names = chosenNames(
  'only',
  values.only.split(','),
  failures.map(({ name }) => name),
)
const ways = chosenNames(
  'ways',
  values.ways.split(','),
  /** @type {const} */ (['hosts', 'haproxy']),
)
const kinds = failures.filter(({ name }) => names.includes(name))
const folder = newRunFolder()
/** @type {import('./failover/fail-over.mjs').FailoverFigures[]} */
const figures = []
/** @type {Map<number, Date>} */
const acknowledged = new Map()
/** @type {Map<string, number>} */
const answers = new Map()
const numbers = naturalNumbers()

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, async () => {
    await stopAll(folder)
    process.exit(1)
  })

try {
  const { ttlS, loopWaitS, retryTimeoutS } = timings
  console.log(
    `Three machines with PostgreSQL and Patroni (synchronous_mode_strict, ttl ${ttlS} s, loop_wait ${loopWaitS} s, retry_timeout ${retryTimeoutS} s); ${failoverCount} failovers under ${values.writers} writers`,
  )
  const cluster = await Cluster.start(folder)
  await createPromotionTable(await cluster.leader())
  for (const [index, way] of ways.entries())
    await failOverBy(way, cluster, Math.ceil((failoverCount - index) / ways.length))
  const checked = await checkWrites((await cluster.leader()).url, acknowledged)
  const summary = { ...checked, acknowledged: acknowledged.size, answers, figures }
  for (const line of summaryLines(summary)) console.log(line)
  for (const line of wrongFigures(summary)) {
    console.error(`Wrong: ${line}`)
    process.exitCode = 1
  }
  cluster.close()
} finally {
  if (values.logs) keepLogs(values.logs)
  await stopAll(folder)
}
process.exit()

/**
 * @param {'hosts' | 'haproxy'} way
 * @param {Cluster} cluster
 * @param {number} count
 */
async function failOverBy(way, cluster, count) {
  if (count === 0) return
  console.log(way === 'hosts' ? '\nThe service names three hosts' : '\nThe service names HAProxy')
  const file = fileURLToPath(new URL('failover/service.mjs', import.meta.url))
  const service = run(file, [], { DATABASE_URL: cluster.url(way) })
  const [output] = await once(
    /** @type {import('node:stream').Readable} */ (service.stdout),
    'data',
  )
  const [address = ''] = /http:\S+/.exec(String(output)) ?? []
  const writers = new Writers(address, numbers)
  await writers.start(countOf('writers', values.writers))
  for (let index = 0; index < count; index++) {
    const failure = kinds[figures.length % kinds.length]
    if (!failure) throw new Error(`'only' names none of ${failures.map(({ name }) => name)}.`)
    const figure = await failOver(cluster, writers, failure)
    console.log(`${new Date().toISOString().slice(11, 19)} ${failoverLine(figure)}`)
    figures.push(figure)
  }
  await writers.stop()
  await stop(service)
  for (const [number, at] of writers.acknowledged) acknowledged.set(number, at)
  for (const [answer, times] of writers.answers)
    answers.set(answer, (answers.get(answer) ?? 0) + times)
}

function* naturalNumbers() {
  for (let number = 1; ; number++) yield number
}

/** @param {string} target */
function keepLogs(target) {
  mkdirSync(target, { recursive: true })
  for (const name of readdirSync(folder))
    if (name.endsWith('.log')) copyFileSync(join(folder, name), join(target, name))
}
