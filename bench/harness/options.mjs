import { parseArgs } from 'node:util'

const REQUESTS = ['item', '304', 'list', 'filtered', 'include', 'create', 'patch']
const PLAIN = [...REQUESTS, 'whole', 'slow']
const JSON_API = REQUESTS.map((row) => `json-api-${row}`)

const ROWS = [...PLAIN, ...JSON_API]

/** Which rows each server supports. @type {Readonly<Record<string, readonly string[]>>} */
export const ROWS_OF = {
  'node-http': PLAIN,
  'node-http-sql': REQUESTS,
  fastify: PLAIN,
  'node-http-json-api': JSON_API,
  'node-http-json-api-sql': JSON_API,
  before: [...REQUESTS, ...JSON_API],
  resourcery: ROWS,
  'resourcery-hooks': ['item', 'list', 'create'],
  'resourcery-access': REQUESTS,
  'node-http-pg': REQUESTS,
  'fastify-pg': REQUESTS,
  'before-pg': REQUESTS,
  'resourcery-pg': REQUESTS,
}

const SERVERS = Object.keys(ROWS_OF)

/** The library of another commit. */
export const OF_OTHER_COMMIT = ['before', 'before-pg']

/** The library with hooks or access rules is compared with the library without, on request. */
const ON_REQUEST = ['resourcery-hooks', 'resourcery-access', ...OF_OTHER_COMMIT]

/** Beside another commit: what stores the text that it sends. */
const AGAINST = ['node-http', 'node-http-json-api', 'before', 'resourcery']

/** @param {string} server */
export const isOverPostgres = (server) => server.endsWith('-pg')

const SERVERS_OF_ONE_COMMIT = SERVERS.filter((server) => !OF_OTHER_COMMIT.includes(server))

const WITHOUT_DATABASE = SERVERS.filter(
  (server) => !isOverPostgres(server) && !ON_REQUEST.includes(server),
)

/**
 * @typedef {{ rounds: number, seconds: number, warmup: number, connections: number, durability:
 * 'full' | 'normal', servers: string[], rows: string[], json: string | undefined, against: string |
 * undefined }} Options `against` is another commit
 */

/**
 * @param {string[]} args
 * @returns {Options}
 */
export function readOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      warmup: { type: 'string' },
      connections: { type: 'string' },
      against: { type: 'string' },
      durability: { type: 'string', default: 'full' },
      servers: { type: 'string' },
      only: { type: 'string' },
      json: { type: 'string' },
    },
  })
  const { against } = values
  const short = values.quick
    ? { rounds: '1', seconds: '0.5', warmup: '0.3' }
    : { rounds: '5', seconds: '2', warmup: '3' }
  const servers = values.servers ?? (against === undefined ? WITHOUT_DATABASE : AGAINST).join(',')
  const rows = values.only ?? (against === undefined ? ROWS : [...REQUESTS, ...JSON_API]).join(',')
  return {
    rounds: whole('rounds', values.rounds ?? short.rounds),
    seconds: positive('seconds', values.seconds ?? short.seconds),
    warmup: positive('warmup', values.warmup ?? short.warmup),
    connections: whole('connections', values.connections ?? (against === undefined ? '32' : '16')),
    durability: values.durability === 'normal' ? 'normal' : 'full',
    servers: chosen('servers', servers, against === undefined ? SERVERS_OF_ONE_COMMIT : SERVERS),
    rows: chosen('only', rows, ROWS),
    json: values.json,
    against,
  }
}

/**
 * @param {string} option
 * @param {string} text
 * @param {string[]} all
 * @returns {string[]} in the order of `all`
 */
function chosen(option, text, all) {
  const names = text.split(',')
  const unknown = names.filter((entry) => !all.includes(entry))
  if (unknown.length > 0)
    throw new Error(`--${option} knows ${all.join(', ')}, and not ${unknown.join(', ')}.`)
  return all.filter((entry) => names.includes(entry))
}

/**
 * @param {string} option
 * @param {string} text
 */
function positive(option, text) {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${option} is a number above zero, and not ${text}.`)
  return value
}

/**
 * @param {string} option
 * @param {string} text
 */
function whole(option, text) {
  const value = positive(option, text)
  if (!Number.isInteger(value)) throw new Error(`--${option} is a whole number, and not ${text}.`)
  return value
}
