// What the log adds to a write: the same one by a router with a log and by one without, in turns.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgres } from 'resourcery/postgres'
import { sqlite } from 'resourcery/sqlite'
import { startPostgres } from '../harness/postgres.mjs'
import { spreadOf } from '../harness/spread.mjs'
import { authorization, TASKS_PER_TEAM, Task, TEAMS, taskId, taskRouter, WRITER } from './tasks.mjs'

/** @typedef {{ name: string, open: (name: string) => import('resourcery').Store }} Kind */
/** @typedef {{ name: string, atOnce: number, by: 'code' | 'PATCH' }} How */
/** @typedef {How & { offUs: number, onUs: number, ratio: number }} Cost */

/** @type {readonly Pick<How, 'atOnce' | 'by'>[]} */
const KINDS_OF_WRITES = [
  { atOnce: 1, by: 'code' },
  { atOnce: 16, by: 'code' },
  { atOnce: 16, by: 'PATCH' },
]

/**
 * @param {{ rounds: number, writes: number, only: string }} options `writes` of
 * each router in each round
 * @param {(cost: Cost) => void} report
 */
export async function measureLogCost({ rounds, writes, only }, report) {
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-log-cost-'))
  const file = (/** @type {string} */ name) => join(folder, `${name}.db`)
  /** @type {Awaited<ReturnType<typeof startPostgres>> | undefined} */
  let server
  /** @type {Kind[]} */
  const kinds = [
    { name: 'sqlite, full', open: (name) => sqlite(file(name), { durability: 'full' }) },
    { name: 'sqlite, normal', open: (name) => sqlite(file(name), { durability: 'normal' }) },
    {
      name: 'sqlite tables, full',
      open: (name) => sqlite(file(name), { durability: 'full', layout: 'tables' }),
    },
    {
      name: 'sqlite tables, normal',
      open: (name) => sqlite(file(name), { durability: 'normal', layout: 'tables' }),
    },
    {
      name: 'postgres',
      open: (name) => postgres(/** @type {any} */ (server).createDatabase(name)),
    },
  ]
  try {
    for (const kind of kinds.filter(({ name }) => name.startsWith(only))) {
      if (kind.name === 'postgres') server = await startPostgres(join(folder, 'pg'), 'full')
      const database = kind.name.replace(/\W+/g, '_')
      const routers = []
      for (const [name, changes] of /** @type {[string, boolean][]} */ ([
        ['off', false],
        ['on', true],
      ])) {
        const store = kind.open(`${database}_${name}`)
        const router = await taskRouter(store, changes)
        await router.open()
        routers.push({ router, store })
      }
      for (const write of KINDS_OF_WRITES)
        report(await costOf({ name: kind.name, ...write }, routers, rounds, writes))
      for (const { router, store } of routers) {
        await router.close()
        await store.close()
      }
    }
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * @param {How} how
 * @param {readonly { router: any }[]} routers without a log, and with one
 * @param {number} rounds
 * @param {number} writes
 * @returns {Promise<Cost>}
 */
async function costOf(how, [off, on], rounds, writes) {
  if (!off || !on) throw new Error('Two routers are compared.')
  for (const { router } of [off, on]) await microsecondsOf(router, writes, how)
  /** @type {number[]} */
  const offUs = []
  /** @type {number[]} */
  const onUs = []
  /** @type {number[]} */
  const ratios = []
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? [off, on] : [on, off]
    for (const each of order)
      (each === off ? offUs : onUs).push(await microsecondsOf(each.router, writes, how))
    ratios.push(/** @type {number} */ (onUs.at(-1)) / /** @type {number} */ (offUs.at(-1)))
  }
  return {
    ...how,
    offUs: spreadOf(offUs).median,
    onUs: spreadOf(onUs).median,
    ratio: spreadOf(ratios).median,
  }
}

let number = 0

/**
 * @param {any} router
 * @param {number} writes
 * @param {How} how
 */
async function microsecondsOf(router, writes, { atOnce, by }) {
  const write = by === 'code' ? updating(router) : patching(router)
  let left = writes
  const drive = async () => {
    while (left-- > 0) await write(number++)
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: atOnce }, drive))
  return ((performance.now() - startedAt) * 1_000) / writes
}

/** @param {number} value */
const idOf = (value) => taskId(value % TEAMS, Math.floor(value / TEAMS) % TASKS_PER_TEAM)

/** @param {any} router */
function updating(router) {
  const tasks = router.items(Task)
  return (/** @type {number} */ value) => tasks.update(idOf(value), { number: value })
}

/** @param {any} router */
function patching(router) {
  const headers = { authorization: authorization(WRITER), 'content-type': 'application/json' }
  return async (/** @type {number} */ value) => {
    const body = JSON.stringify({ task: { number: value } })
    const url = `http://localhost/api/tasks/${idOf(value)}`
    const response = await router.handle(new Request(url, { method: 'PATCH', headers, body }))
    if (response.status !== 200) throw new Error(`A write got ${response.status}.`)
    await response.arrayBuffer()
  }
}
