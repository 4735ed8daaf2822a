// How long the OpenAPI document of many models takes to make, and how large it is.
//   node bench/document.mjs [--models=25,50,100,200] [--rounds=21]

import { parseArgs } from 'node:util'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { printedSpread, spreadOf } from './harness/spread.mjs'
import { manyModels, routerOver } from './many-models.mjs'

const { values: options } = parseArgs({
  options: {
    models: { type: 'string', default: '25,50,100,200' },
    rounds: { type: 'string', default: '21' },
  },
})

console.log('policy   models   operations       kB   first ms   median ms (min–max)')
for (const policy of [rest(), jsonApi()])
  for (const count of options.models.split(',').map(Number)) print(policy, count)

/**
 * @param {import('resourcery').Policy} policy
 * @param {number} count
 */
function print(policy, count) {
  /** @type {number[]} */
  const times = []
  let text = ''
  let operations = 0
  for (let round = 0; round < Number(options.rounds); round++) {
    // A new router each time, so that nothing is cached.
    const router = routerOver(manyModels(count), policy)
    operations = router.rules.length
    const start = performance.now()
    const document = router.toOpenApi()
    times.push(performance.now() - start)
    text = JSON.stringify(document)
  }
  const [first = 0] = times
  const later = printedSpread(spreadOf(times), (value) => value.toFixed(0))
  const cells = [
    policy.name.padEnd(8),
    pad(count, 6),
    pad(operations, 12),
    pad(text.length / 1000, 8),
  ]
  console.log([...cells, pad(first, 10), later.padStart(21)].join(' '))
}

/**
 * @param {number} value
 * @param {number} width
 */
function pad(value, width) {
  return value.toFixed(0).padStart(width)
}
