// What a request of each row costs, in figures that do not depend on how busy the machine is,
// beside the committed budget.
//   node bench/budget.mjs [--write] [--only=item,list] [--servers=resourcery]

import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { FIGURES, isOver, ROOM } from './budget/figures.mjs'
import { measureRow } from './budget/measure-row.mjs'
import { whenIdle } from './budget/when-idle.mjs'
import { ROWS_OF } from './harness/options.mjs'
import { stopAll } from './harness/processes.mjs'
import { checkBuilt, serverFactory } from './harness/servers.mjs'

/** @typedef {import('./budget/figures.mjs').Costs} Costs */
/** @typedef {{ node: string, servers: Record<string, Record<string, Costs>> }} Budget */

const FILE = new URL('budget.json', import.meta.url)
const METER = new URL('budget/meter.mjs', import.meta.url).href

/** One thread, so that V8 compiles and collects at the same points of each run. */
const NODE_OPTIONS = ['--expose-gc', '--single-threaded', '--import', METER]

const { values: options } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string' },
    servers: { type: 'string', default: 'resourcery,resourcery-pg' },
  },
})
const servers = options.servers.split(',')
const rows = options.only?.split(',')
const node = `${process.versions.node.split('.')[0]}`
/** @type {Budget} */
const budget = JSON.parse(readFileSync(FILE, 'utf8'))

checkBuilt(servers)
const factory = serverFactory('normal', undefined, 'inherit', NODE_OPTIONS)
try {
  const excesses = []
  for (const server of servers) {
    await factory.seed(server, whenIdle)
    for (const row of rowsOf(server)) {
      const costs = await factory.with(server, (started) => measureRow(row, started))
      console.log(lineOf(server, row, costs))
      excesses.push(...excessesOf(server, row, costs))
      if (options.write) budget.servers[server] = { ...budget.servers[server], [row]: costs }
    }
  }
  if (options.write)
    writeFileSync(FILE, `${JSON.stringify({ node, servers: budget.servers }, null, 2)}\n`)
  else conclude(excesses)
} finally {
  await stopAll()
  await factory.remove()
}

/** @param {string} server */
function rowsOf(server) {
  const all = (ROWS_OF[server] ?? []).filter((row) => row !== 'whole' && row !== 'slow')
  return rows === undefined ? all : all.filter((row) => rows.includes(row))
}

/**
 * @param {string} server
 * @param {string} row
 * @param {Costs} costs
 */
function lineOf(server, row, costs) {
  const figures = FIGURES.map((figure) => {
    const allowed = budget.servers[server]?.[row]?.[figure]
    return `${figure} ${costs[figure]}${allowed === undefined ? '' : ` (${allowed})`}`
  })
  return `${server} ${row}: ${figures.join(', ')}`
}

/**
 * @param {string} server
 * @param {string} row
 * @param {Costs} costs
 */
function excessesOf(server, row, costs) {
  const allowed = budget.servers[server]?.[row]
  if (allowed === undefined) return [`${server} ${row} has no budget`]
  return FIGURES.filter((figure) => isOver(figure, costs[figure], allowed[figure])).map(
    (figure) => `${server} ${row}: ${figure} is ${costs[figure]}, its budget ${allowed[figure]}`,
  )
}

/** @param {string[]} excesses */
function conclude(excesses) {
  if (excesses.length === 0) return
  if (budget.node !== node)
    return console.log(`The budget is for Node ${budget.node}, and this is Node ${node}.`)
  console.error(
    [
      `Over the budget of bench/budget.json by more than ${ROOM * 100} %:`,
      ...excesses.map((excess) => `  ${excess}`),
      'Find what the change costs. If it is worth that, write the budget anew with --write, and say why in the commit.',
    ].join('\n'),
  )
  process.exitCode = 1
}
