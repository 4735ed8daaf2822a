// The requests of the mixed loads: what a service usually gets, with scans that no index answers,
// and lists with related items.

import { bookId } from '../data.mjs'
import { get, ROWS } from '../load/requests.mjs'

const WORDS = ['ancient', 'bright', 'distant', 'forest', 'harbor', 'island', 'kingdom', 'ocean']

/**
 * `count` of 20 requests are of a kind: those of a row of the bench, or their own.
 *
 * @typedef {{ kind: string, count: number, row?: string, request?: (turn: number) => string }} Kind
 */

/** @type {readonly Kind[]} */
const WRITES = [
  { kind: 'create', count: 2, row: 'create' },
  { kind: 'patch', count: 2, row: 'patch' },
]

/** @type {Readonly<Record<string, readonly Kind[]>>} */
export const MIXES = {
  usual: [
    { kind: 'item', count: 8, row: 'item' },
    { kind: 'list', count: 3, row: 'list' },
    { kind: 'include', count: 3, row: 'include' },
    { kind: 'scan', count: 2, request: scan },
    ...WRITES,
  ],
  // What takes much longer than a refusal.
  lists: [{ kind: 'page', count: 16, request: page }, ...WRITES],
}

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

/** @param {number} turn */
function page(turn) {
  return get(`/api/books?filter[price][gte]=${turn % 20}&sort=-price&page[size]=50&include=author`)
}

/** @typedef {{ kind: string, request: string }} MixedRequest */

/**
 * @param {readonly Kind[]} kinds
 * @returns {Promise<() => MixedRequest>} the next request, without end
 */
export async function mixedRequests(kinds) {
  const makers = await Promise.all(kinds.map(makerOf))
  // The kinds alternate, so that every second has the same mix.
  const order = makers
    .flatMap((maker, index) =>
      Array.from({ length: kinds[index]?.count ?? 0 }, (_, turn) => ({
        maker,
        place: (turn + 0.5) / (kinds[index]?.count ?? 1),
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
