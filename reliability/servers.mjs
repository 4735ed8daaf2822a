// A server of PostgreSQL that is restarted, frozen and cut off while clients write, and one whose
// commits wait for a standby that is not there.
//   node reliability/servers.mjs [--rounds=20] [--writers=16] [--only=frozen] [--short]

import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chosenNames, countOf } from './harness/chosen.mjs'
import { inRunFolder } from './harness/in-run-folder.mjs'
import { Link } from './harness/link.mjs'
import { PostgresServer } from './harness/postgres-server.mjs'
import { Report } from './harness/report.mjs'
import { forgetStandby, loseStandby } from './servers/absent-standby.mjs'
import { disturbances } from './servers/disturbances.mjs'
import { whatIsLeft } from './servers/what-is-left.mjs'
import { WrittenService } from './writers/written-service.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string' },
    writers: { type: 'string', default: '16' },
    only: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
})
const rounds = countOf('rounds', values.rounds ?? (values.short ? 1 : 20))
const writerCount = countOf('writers', values.writers)
const absent = 'without standby'
const known = [...disturbances.map(({ name }) => name), absent]
const names = chosenNames('only', values.only?.split(',') ?? known, known)
const maxSuccessMs = 1_000
/** The pools of items and of blobs, and one that waits for notifications. */
const mostConnections = 21
const report = new Report()

await inRunFolder(async (folder) => {
  const server = await PostgresServer.start(folder)
  await server.createDatabase('disturbed')
  const link = await new Link(server.port).open()
  const location = server.url('disturbed', link.port)
  const service = new WrittenService({ store: 'postgres', processes: 1, location }, folder, report)
  await service.start()
  for (const { name, cause } of disturbances) {
    if (!names.includes(name)) continue
    /** @type {number[]} */
    const successes = []
    for (let round = 0; round < rounds; round++) {
      await service.write(writerCount)
      await cause(server, link, round, values.short)
      successes.push(await firstSuccess(service))
      await settle(service, server, name)
    }
    printSuccesses(name, successes)
  }
  if (names.includes(absent)) await withoutStandby(service, server)
  const { acknowledged, answers } = service.writers
  if (acknowledged === 0) report.add('unchecked', 'no write was acknowledged.')
  const lists = Array.from(answers, ([answer, count]) => `${answer}: ${count}`).join(', ')
  console.log(`${acknowledged} acknowledged writes; answers: ${lists}`)
  await service.end()
  link.close()
})

/** @param {WrittenService} service */
async function firstSuccess({ writers }) {
  const returnedAt = performance.now()
  while (writers.lastSuccessAt <= returnedAt) {
    if (performance.now() > returnedAt + 60_000) throw new Error('No write succeeds for a minute.')
    await wait(2)
  }
  return writers.lastSuccessAt - returnedAt
}

/**
 * Lets the writers finish, and looks at what they leave.
 *
 * @param {WrittenService} service
 * @param {PostgresServer} server
 * @param {string} name
 */
async function settle(service, server, name) {
  await service.acknowledgedMore(2 * writerCount)
  await service.writers.stop()
  await service.check()
  const { connections, busy, locks } = await whatIsLeft(server, mostConnections)
  if (connections > mostConnections || busy > 0 || locks > 0)
    report.add('left', `${connections} connections, ${busy} busy, ${locks} locks after '${name}'.`)
}

/**
 * @param {string} name
 * @param {readonly number[]} successes in ms
 */
function printSuccesses(name, successes) {
  const sorted = successes.toSorted((one, other) => one - other)
  const [median = 0, longest = 0] = [sorted[sorted.length >> 1], sorted.at(-1)]
  if (longest > maxSuccessMs)
    report.add('late', `'${name}': the first success came ${longest.toFixed(0)} ms later.`)
  console.log(
    `${name.padEnd(16)} ${successes.length} times; first success after median ${median.toFixed(0)} ms, longest ${longest.toFixed(0)} ms (at most ${maxSuccessMs})`,
  )
}

/**
 * @param {WrittenService} service
 * @param {PostgresServer} server
 */
async function withoutStandby(service, server) {
  const { writers } = service
  await service.write(writerCount)
  let acknowledged = writers.acknowledged
  await loseStandby(server, values.short ? 2 : 30, () => {
    acknowledged = writers.acknowledged
  })
  const wrong = writers.acknowledged - acknowledged
  if (wrong > 0) report.add('acknowledged', `${wrong} writes that no standby has.`)
  await forgetStandby(server)
  const success = await firstSuccess(service)
  await settle(service, server, absent)
  console.log(`${absent.padEnd(16)} ${wrong} writes acknowledged meanwhile`)
  printSuccesses('with it again', [success])
}
