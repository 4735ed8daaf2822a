// The load, in a process of its own, so that it and the server have a core each. Prints one line of
// JSON.
//   node bench/load.mjs --row=item --port=3000 --pid=123 --seconds=2 --warmup=1 --connections=32

import { parseArgs } from 'node:util'
import { measureRate } from './load/rates.mjs'
import { ROWS } from './load/requests.mjs'
import { measureSlowReaders } from './load/slow-readers.mjs'
import { measureWholeList } from './load/whole-list.mjs'

const { values } = parseArgs({
  options: {
    row: { type: 'string', default: 'item' },
    port: { type: 'string', default: '3000' },
    pid: { type: 'string', default: '0' },
    seconds: { type: 'string', default: '2' },
    warmup: { type: 'string', default: '1' },
    connections: { type: 'string', default: '32' },
  },
})

const options = {
  port: Number(values.port),
  pid: Number(values.pid),
  seconds: Number(values.seconds),
  warmup: Number(values.warmup),
  connections: Number(values.connections),
}

process.once('disconnect', () => process.exit(1))
const result = await measure(values.row)
console.log(JSON.stringify({ row: values.row, ...result }))
const errors = Object.entries(result.errors)
for (const [what, count] of errors) console.error(`${values.row}: ${count} × ${what}`)
process.exit(errors.length === 0 && result.requests > 0 ? 0 : 1)

/** @param {string} row */
function measure(row) {
  if (row === 'whole') return measureWholeList(options)
  if (row === 'slow') return measureSlowReaders(options)
  const rowOf = Object.hasOwn(ROWS, row) ? ROWS[row] : undefined
  if (!rowOf) throw new Error(`There is no row ${row}.`)
  return measureRate(rowOf, options)
}
