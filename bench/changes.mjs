// What the log of changes and those who follow it cost.
//   node bench/changes.mjs [--subscribers=5000] [--rate=200] [--seconds=20] [--durability=normal]
//     [--only=feed,log] [--store='sqlite, normal'] [--rounds=15] [--writes=1000] [--quick]
//     [--json=file]

import { writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { measureFeed, subscribersPerWrite } from './changes/feed.mjs'
import { costLine, feedLines } from './changes/lines.mjs'
import { measureLogCost } from './changes/log-cost.mjs'
import { stopAll } from './harness/processes.mjs'
import { checkBuilt } from './harness/servers.mjs'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    subscribers: { type: 'string' },
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string' },
    durability: { type: 'string', default: 'normal' },
    only: { type: 'string', default: 'feed,log' },
    store: { type: 'string', default: '' },
    rounds: { type: 'string' },
    writes: { type: 'string' },
    json: { type: 'string' },
  },
})
const short = values.quick
  ? { subscribers: '500', seconds: '2', rounds: '1', writes: '100' }
  : { subscribers: '5000', seconds: '20', rounds: '15', writes: '1000' }
const subscribers = Number(values.subscribers ?? short.subscribers)
const parts = values.only.split(',')
/** @type {{ feed?: import('./changes/feed.mjs').FeedFigures, log: object[] }} */
const results = { log: [] }

checkBuilt(['resourcery'])
console.log(`Load of the machine before: ${loadavg()[0]?.toFixed(1)}`)
try {
  if (parts.includes('feed')) {
    const rate = Number(values.rate)
    const seconds = Number(values.seconds ?? short.seconds)
    console.log(
      `\n${subscribers} subscribers of 20 callers with a filter each; ${rate} writes a second for ${seconds} s, each for ${subscribersPerWrite(subscribers)} of them`,
    )
    results.feed = await measureFeed({ subscribers, rate, seconds, durability: values.durability })
    for (const line of feedLines(results.feed)) console.log(line)
    if (isWrong(results.feed)) process.exitCode = 1
  }
  if (parts.includes('log')) {
    console.log('\nA write with the log, beside one without (at most 1.25)')
    const rounds = Number(values.rounds ?? short.rounds)
    const writes = Number(values.writes ?? short.writes)
    await measureLogCost({ rounds, writes, only: values.store }, (cost) => {
      results.log.push(cost)
      console.log(costLine(cost))
    })
  }
} finally {
  await stopAll()
}
console.log(`\nLoad of the machine after: ${loadavg()[0]?.toFixed(1)}`)
if (values.json) writeFileSync(values.json, JSON.stringify(results, undefined, 2))

/**
 * Figures depend on the machine; what came does not.
 *
 * @param {import('./changes/feed.mjs').FeedFigures} figures
 */
function isWrong({ delivery, stalledDelivery, lateDelivery }) {
  const wrong = [delivery, stalledDelivery, lateDelivery].filter(
    ({ missing, twice, unexpected }) => missing + twice + unexpected > 0,
  )
  for (const { missing, twice, unexpected } of wrong)
    console.error(`Wrong: ${missing} missing, ${twice} twice, ${unexpected} unexpected.`)
  return wrong.length > 0
}
