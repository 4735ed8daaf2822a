// Which figures of a row are shown, and how.

/** @typedef {import('./load.mjs').Result} Result */
/**
 * @typedef {{
 *   title: string, row: string, value: (result: Result) => number | null | undefined,
 *   show: (value: number) => string,
 * }} Figure
 */

/** @type {Readonly<Record<string, string>>} */
const REQUESTS = {
  item: 'item',
  304: '304, not modified',
  list: 'list of 20',
  filtered: '100, filtered and sorted',
  include: '20 with their authors',
  create: 'create',
  patch: 'patch',
}

/** @type {{ title: string, figures: Figure[] }[]} */
export const TABLES = [
  { title: 'Requests per second (more is better)', figures: rates('') },
  { title: 'JSON:API, requests per second (more is better)', figures: rates('json-api-') },
  {
    title: 'Processor time of the server for one request, µs (less is better)',
    figures: costs(''),
  },
  {
    title: 'JSON:API, processor time of the server for one request, µs (less is better)',
    figures: costs('json-api-'),
  },
  ...both(
    'Milliseconds that half of the requests take at most (less is better)',
    (result) => result.p50,
    milliseconds,
  ),
  ...both(
    'Milliseconds that 99 of 100 requests take at most (less is better)',
    (result) => result.p99,
    milliseconds,
  ),
  ...both(
    'Kilobytes allocated for one request (less is better)',
    (result) => kilobytes(result.allocatedBytes),
    tenths,
  ),
  ...both(
    'Bytes promoted to the old space for one request (less is better)',
    (result) => result.promotedBytes,
    grouped,
  ),
  {
    title: 'Transactions in one commit of the library',
    figures: ['', 'json-api-'].flatMap((prefix) =>
      ['create', 'patch'].map((request) => ({
        title: prefix === '' ? request : `JSON:API ${request}`,
        row: prefix + request,
        value: (/** @type {Result} */ result) => result.transactionsPerCommit,
        show: tenths,
      })),
    ),
  },
  {
    title: 'The whole list of 10 000 (less is better)',
    figures: [
      {
        title: 'first byte, ms',
        row: 'whole',
        value: (result) => result.firstByte,
        show: milliseconds,
      },
      { title: 'all of it, ms', row: 'whole', value: (result) => result.total, show: milliseconds },
      {
        title: 'an item meanwhile: median, ms',
        row: 'whole',
        value: (result) => result.others?.p50,
        show: milliseconds,
      },
      {
        title: 'an item meanwhile: p99, ms',
        row: 'whole',
        value: (result) => result.others?.p99,
        show: milliseconds,
      },
      {
        title: 'an item meanwhile: worst, ms',
        row: 'whole',
        value: (result) => result.others?.max,
        show: milliseconds,
      },
      {
        title: 'memory for 8 slow readers, MB',
        row: 'slow',
        value: (result) => megabytes(result.growth),
        show: tenths,
      },
    ],
  },
]

/**
 * The rows of both protocols, a table each.
 *
 * @param {string} title
 * @param {Figure['value']} value
 * @param {Figure['show']} show
 */
function both(title, value, show) {
  return [
    { title, figures: eachRequest('', value, show) },
    { title: `JSON:API: ${title}`, figures: eachRequest('json-api-', value, show) },
  ]
}

/** @param {string} prefix of the rows */
function rates(prefix) {
  return eachRequest(prefix, (result) => result.rps, grouped)
}

/** @param {string} prefix of the rows */
function costs(prefix) {
  return eachRequest(
    prefix,
    (result) => result.processorMicroseconds,
    (value) => value.toFixed(1),
  )
}

/**
 * @param {string} prefix
 * @param {Figure['value']} value
 * @param {Figure['show']} show
 * @returns {Figure[]}
 */
function eachRequest(prefix, value, show) {
  return Object.entries(REQUESTS).map(([row, title]) => ({ title, row: prefix + row, value, show }))
}

/** @param {number} value */
function grouped(value) {
  return Math.round(value).toLocaleString('en').replaceAll(',', ' ')
}

/** @param {number} value */
function milliseconds(value) {
  return value < 10 ? value.toFixed(2) : tenths(value)
}

/** @param {number} value */
function tenths(value) {
  return value.toFixed(1)
}

/** @param {number | undefined} bytes */
function kilobytes(bytes) {
  return bytes === undefined ? undefined : bytes / 1e3
}

/** @param {number | undefined} bytes */
function megabytes(bytes) {
  return bytes === undefined ? undefined : bytes / 1e6
}
