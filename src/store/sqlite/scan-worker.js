// @ts-check
// Plain JavaScript, so that it runs from the sources and from the build.
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

const stopped = new Error('The statement was aborted.')
database.function('check_interrupt', { varargs: true }, () => {
  if (Atomics.load(shared, stop) === 1) throw stopped
  return 1
})

let bytes = 0
let maxBytes = Number.POSITIVE_INFINITY
database.function('count_bytes', (/** @type {number} */ more) => {
  bytes += more
  if (bytes > maxBytes) throw stopped
  return 1
})

// `foldText` of `query/fold-text.ts`, which a worker cannot import from the sources. A test
// compares the two.
const marks = /(?=\p{M})\p{Script=Inherited}/gu
/** @param {string} text */
const foldText = (text) =>
  text
    .normalize('NFKD')
    .replaceAll(marks, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
database.function('fold_text', { deterministic: true }, (/** @type {unknown} */ text) =>
  typeof text === 'string' ? foldText(text) : null,
)

// `wordsOf` of `query/search-words.ts`.
const separators = /[^\p{L}\p{M}\p{N}]+/gu
database.function('words_of', { deterministic: true }, (/** @type {unknown} */ text) =>
  typeof text === 'string' ? ` ${foldText(text).replaceAll(separators, ' ')} ` : '',
)

// `decimalLimbs` of `store/groups/decimal-limbs.ts`.
database.function('decimal_limbs', { deterministic: true }, (/** @type {unknown} */ value) => {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(plainNumber(value) ?? '')
  if (!match) return '{}'
  const [, minus, whole = '', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  const lowest = -Math.ceil(Math.max(scale, 0) / 9)
  let text = whole + fraction + '0'.repeat(-lowest * 9 - scale)
  const limbs = []
  for (let index = lowest; text !== ''; index++) {
    const limb = Number(text.slice(-9))
    if (limb !== 0) limbs.push(`"${index}":${minus}${limb}`)
    text = text.slice(0, -9)
  }
  return `{${limbs.join(',')}}`
})

/** @param {unknown} value a number, or the key of a decimal number */
function plainNumber(value) {
  if (typeof value !== 'string') return String(value)
  const [, sign, length = '', digits = ''] = /^([pn])([0-9a-j]{4})([0-9a-j]+)~?$/.exec(value) ?? []
  if (sign === undefined) return undefined
  const plain = (/** @type {string} */ text) =>
    sign === 'p' ? text : text.replace(/./g, (letter) => String('jihgfedcba'.indexOf(letter)))
  const all = plain(digits)
  const count = Number(plain(length))
  return `${sign === 'n' ? '-' : ''}${all.slice(0, count)}.${all.slice(count) || '0'}`
}

// `localDay` of `store/groups/date-part.ts`.
/** @type {Map<string, number>} */
const offsets = new Map()
const slotMs = 900_000
const firstDayMs = Date.parse('0000-01-01T00:00:00Z')
const lastDayMs = Date.parse('9999-12-31T00:00:00Z')
const firstOffsetMs = Date.UTC(1600)
database.function(
  'local_day',
  { deterministic: true },
  (/** @type {unknown} */ key, /** @type {unknown} */ zone) => {
    const text = String(key)
    const ms = Date.parse(`${text}Z`)
    if (text.length <= 10 || Number.isNaN(ms)) return text.slice(0, 10)
    const slot = Math.floor(ms / slotMs)
    const name = `${zone} ${slot}`
    let offset = offsets.get(name)
    if (offset === undefined) {
      const start = offsetAt(slot * slotMs, String(zone))
      offset = start === offsetAt(slot * slotMs + slotMs - 1, String(zone)) ? start : Number.NaN
      if (offsets.size >= 20_000) offsets.clear()
      offsets.set(name, offset)
    }
    const local = ms + (Number.isNaN(offset) ? offsetAt(ms, String(zone)) : offset)
    return new Date(Math.min(Math.max(local, firstDayMs), lastDayMs)).toISOString().slice(0, 10)
  },
)

/** @type {Map<string, Intl.DateTimeFormat>} */
const formats = new Map()

/**
 * @param {number} instantMs
 * @param {string} timeZone
 */
function offsetAt(instantMs, timeZone) {
  const ms = Math.max(instantMs, firstOffsetMs)
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    if (formats.size >= 100) formats.clear()
    formats.set(timeZone, format)
  }
  /** @type {Record<string, number>} */
  const parts = {}
  for (const { type, value } of format.formatToParts(ms)) parts[type] = Number(value)
  const { year = 0, month = 1, day, hour, minute, second } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000
}

/** @type {Map<string, any>} */
const statements = new Map()
const maxStatements = 100

/** @param {string} sql */
function prepare(sql) {
  const cached = statements.get(sql)
  if (cached) return cached
  if (statements.size >= maxStatements) statements.clear()
  const statement = database.prepare(sql)
  statement.setReturnArrays?.(true)
  statements.set(sql, statement)
  return statement
}

/** @param {Statement} statement */
function rowsOf({ sql, parameters }) {
  const rows = prepare(sql).all(...parameters)
  return Array.isArray(rows[0]) ? rows : rows.map((/** @type {object} */ row) => Object.values(row))
}

/** A sorted result calls no function per row, so the insert into the list calls it. */
const interruptCheck = 'check (iif(random() & 63, true, check_interrupt()))'

/**
 * Copies the ids into a temporary table in their order, on disk when they are many, and releases
 * the snapshot that they were read from.
 * @param {number} list
 * @param {Statement} ids
 */
function begin(list, { sql, parameters }) {
  database.exec(
    `create table temp."list ${list}" (position integer primary key, id text not null, ${interruptCheck})`,
  )
  return Number(prepare(`insert into temp."list ${list}" (id) ${sql}`).run(...parameters).changes)
}

/** @param {number} list */
function end(list) {
  // Statements that name the table are useless from now on.
  statements.clear()
  database.exec(`drop table if exists temp."list ${list}"`)
}

/** @param {Exclude<Request, { kind: 'close' }>} request */
function handle(request) {
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
function errorOf(error) {
  const { message, errcode } = /** @type {{ message: string, errcode?: number }} */ (error)
  return {
    error: { message, errcode, isStopped: error === stopped || Atomics.load(shared, stop) === 1 },
  }
}

/** @param {Exclude<Request, { kind: 'close' }>} request */
function responseTo(request) {
  try {
    // A request whose caller has left is not run, except to drop a list.
    if (request.kind !== 'end' && Atomics.load(shared, stop) === 1) throw stopped
    bytes = 0
    maxBytes = request.kind === 'rows' ? request.maxBytes : Number.POSITIVE_INFINITY
    return handle(request)
  } catch (error) {
    if (bytes > maxBytes)
      return {
        error: { message: 'The statement returned too many bytes of text.', isTooLarge: true },
      }
    return errorOf(error)
  }
}

parentPort?.on('message', (/** @type {Request} */ request) => {
  if (request.kind === 'close') {
    statements.clear()
    database.close()
    parentPort?.close()
    return
  }
  const response = responseTo(request)
  Atomics.store(shared, busy, 0)
  Atomics.notify(shared, busy)
  parentPort?.postMessage(response)
})
