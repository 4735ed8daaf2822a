// The requests of the mixed load: what a service usually gets, and scans that no index answers.

import { bookId } from '../data.mjs'
import { get, ROWS } from '../load/requests.mjs'

const WORDS = ['ancient', 'bright', 'distant', 'forest', 'harbor', 'island', 'kingdom', 'ocean']

/**
 * `count` of 20 requests are of a kind: those of a row of the bench, or their own.
 *
 * @typedef {{ kind: string, count: number, row?: string, request?: (turn: number) => string }} Kind
 */

/** @type {readonly Kind[]} */
const KINDS = [
  { kind: 'item', count: 8, row: 'item' },
  { kind: 'list', count: 3, row: 'list' },
  { kind: 'include', count: 3, row: 'include' },
  { kind: 'scan', count: 2, request: scan },
  { kind: 'create', count: 2, row: 'create' },
  { kind: 'patch', count: 2, row: 'patch' },
]

/**
 * A filter and a sort by fields without an index, with another text each time.
 *
 * @param {number} turn
 */
function scan(turn) {
  const text = `${WORDS[turn % WORDS.length]} ${String.fromCharCode(97 + (turn % 26))}`
  const filter = `filter[title][contains]=${encodeURIComponent(text)}`
  return get(`/api/books?${filter}&sort=-pages&page[size]=20`)
}

/** @typedef {{ kind: string, request: string }} MixedRequest */

/** @returns {Promise<() => MixedRequest>} the next request, without end */
export async function mixedRequests() {
  const makers = await Promise.all(KINDS.map(makerOf))
  // The kinds alternate, so that every second has the same mix.
  const order = makers
    .flatMap((maker, index) =>
      Array.from({ length: KINDS[index]?.count ?? 0 }, (_, turn) => ({
        maker,
        place: (turn + 0.5) / (KINDS[index]?.count ?? 1),
      })),
    )
    .sort((one, other) => one.place - other.place)
    .map(({ maker }) => maker)
  let index = 0
  return () => /** @type {() => MixedRequest} */ (order[index++ % order.length])()
}

/** @param {Kind} kind */
async function makerOf({ kind, row, request }) {
  const rowOf = row === undefined ? undefined : ROWS[row]
  // None of these rows asks the server before it begins.
  const made = await rowOf?.(() => Promise.reject(new Error(`The row '${row}' asks the server.`)))
  const textOf = made?.request ?? request ?? (() => get(`/api/books/${bookId(1)}`))
  let turn = 0
  return () => ({ kind, request: textOf(turn++) })
}
