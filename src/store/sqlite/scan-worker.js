// @ts-check
// Plain JavaScript, so that it runs from the sources as well as from what is built.
import { parentPort, workerData } from 'node:worker_threads'

/**
 * @typedef {{ sql: string, parameters: readonly any[] }} Statement
 * @typedef {{ id: number, kind: 'rows', statement: Statement }
 *   | { id: number, kind: 'begin', list: number, ids: Statement }
 *   | { id: number, kind: 'end', list: number }} Request
 */

const { file, driver } = workerData
const { DatabaseSync } = await import(driver)
const database = new DatabaseSync(file, { readOnly: true, enableForeignKeyConstraints: false })
database.exec('pragma busy_timeout = 5000')

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
 * Writes the ids down in their order, on disk when they are many, and lets go of the snapshot they were read from.
 * @param {number} list
 * @param {Statement} ids
 */
function begin(list, { sql, parameters }) {
  database.exec(`create table temp."list ${list}" (place integer primary key, id text not null)`)
  return Number(prepared(`insert into temp."list ${list}" (id) ${sql}`).run(...parameters).changes)
}

/** @param {number} list */
function end(list) {
  // A statement that names the table is of no further use.
  statements.clear()
  database.exec(`drop table if exists temp."list ${list}"`)
}

/** @param {Request} request */
function answer(request) {
  switch (request.kind) {
    case 'rows':
      return rowsOf(request.statement)
    case 'begin':
      return begin(request.list, request.ids)
    case 'end':
      return end(request.list)
  }
}

parentPort?.on('message', (/** @type {Request} */ request) => {
  try {
    parentPort?.postMessage({ id: request.id, result: answer(request) })
  } catch (error) {
    const { message, errcode } = /** @type {{ message: string, errcode?: number }} */ (error)
    parentPort?.postMessage({ id: request.id, error: { message, errcode } })
  }
})
