// @ts-check
// Plain JavaScript, so that it runs from the sources as well as from what is built.
import { parentPort, workerData } from 'node:worker_threads'

/**
 * @typedef {{ sql: string, parameters: readonly any[] }} Statement
 * @typedef {{ kind: 'rows', statement: Statement, maxBytes: number }
 *   | { kind: 'begin', list: number, ids: Statement }
 *   | { kind: 'end', list: number }
 *   | { kind: 'close' }} Request
 */

/** @type {{ file: string, driver: string, shared: Int32Array }} */
const { file, driver, shared } = workerData
const stop = 0
const busy = 1

const { DatabaseSync } = await import(driver)
const database = new DatabaseSync(file, { readOnly: true, enableForeignKeyConstraints: false })
database.exec('pragma busy_timeout = 5000')

const stopped = new Error('The statement was broken off.')
database.function('goes_on', () => {
  if (Atomics.load(shared, stop) === 1) throw stopped
  return 1
})

let bytes = 0
let maxBytes = Number.POSITIVE_INFINITY
database.function('weigh', (/** @type {number} */ more) => {
  bytes += more
  if (bytes > maxBytes) throw stopped
  return 1
})

/** @type {Map<string, any>} */
const statements = new Map()
const kept = 100

/** @param {string} sql */
function prepared(sql) {
  const known = statements.get(sql)
  if (known) return known
  if (statements.size >= kept) statements.clear()
  const statement = database.prepare(sql)
  statement.setReturnArrays?.(true)
  statements.set(sql, statement)
  return statement
}

/** @param {Statement} statement */
function rowsOf({ sql, parameters }) {
  const rows = prepared(sql).all(...parameters)
  return Array.isArray(rows[0]) ? rows : rows.map((/** @type {object} */ row) => Object.values(row))
}

/**
 * What is sorted comes without a look at any row of the table, so what is written down is looked
 * at.
 */
const looks = 'check (iif(random() & 63, true, goes_on()))'

/**
 * Writes the ids down in their order, on disk when they are many, and lets go of the snapshot they
 * were read from.
 * @param {number} list
 * @param {Statement} ids
 */
function begin(list, { sql, parameters }) {
  database.exec(
    `create table temp."list ${list}" (place integer primary key, id text not null, ${looks})`,
  )
  return Number(prepared(`insert into temp."list ${list}" (id) ${sql}`).run(...parameters).changes)
}

/** @param {number} list */
function end(list) {
  // A statement that names the table is of no further use.
  statements.clear()
  database.exec(`drop table if exists temp."list ${list}"`)
}

/** @param {Exclude<Request, { kind: 'close' }>} request */
function answer(request) {
  switch (request.kind) {
    case 'rows':
      return { result: rowsOf(request.statement) }
    case 'begin':
      return { result: begin(request.list, request.ids) }
    case 'end':
      return { result: end(request.list) }
  }
}

/** @param {unknown} error */
function faultOf(error) {
  const { message, errcode } = /** @type {{ message: string, errcode?: number }} */ (error)
  return {
    error: { message, errcode, isStopped: error === stopped || Atomics.load(shared, stop) === 1 },
  }
}

/** @param {Exclude<Request, { kind: 'close' }>} request */
function outcomeOf(request) {
  try {
    // What is no longer wanted by the time it would begin is not begun; what clears up after others
    // is.
    if (request.kind !== 'end' && Atomics.load(shared, stop) === 1) throw stopped
    bytes = 0
    maxBytes = request.kind === 'rows' ? request.maxBytes : Number.POSITIVE_INFINITY
    return answer(request)
  } catch (error) {
    if (bytes > maxBytes)
      return { error: { message: 'The texts come to too many bytes.', isTooLarge: true } }
    return faultOf(error)
  }
}

parentPort?.on('message', (/** @type {Request} */ request) => {
  if (request.kind === 'close') {
    statements.clear()
    database.close()
    parentPort?.close()
    return
  }
  const outcome = outcomeOf(request)
  Atomics.store(shared, busy, 0)
  Atomics.notify(shared, busy)
  parentPort?.postMessage(outcome)
})
