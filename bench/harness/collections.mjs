// What V8 reports of its collections (`--trace-gc --trace-gc-nvp`), a line for each. It needs
// nothing of the program, so it works for other commits and for the hand-written servers alike.

/** The options of Node that make a program report its collections. */
export const REPORT_COLLECTIONS = ['--trace-gc', '--trace-gc-nvp']

/** @typedef {{ at: number, allocated: number, promoted: number, pause: number }} Collection */

/**
 * @param {string} line of what the program prints
 * @returns {Collection | undefined} when it ended, in milliseconds since the program started, bytes
 * allocated since the one before, bytes promoted to the old space, and the pause in milliseconds;
 * undefined for other lines
 */
export function collectionOf(line) {
  const at = /^\[\d+:0x[0-9a-f]+\]\s+(\d+) ms: pause=/.exec(line)?.[1]
  if (at === undefined) return undefined
  const figure = (/** @type {string} */ name) =>
    Number(new RegExp(` ${name}=([\\d.]+)`).exec(line)?.[1] ?? 0)
  return {
    at: Number(at),
    allocated: figure('allocated'),
    promoted: figure('promoted'),
    pause: figure('pause'),
  }
}

/**
 * What each request of a measurement cost the memory of its server.
 *
 * @param {readonly Collection[]} collections of the whole run
 * @param {number} startTime of the program, in milliseconds since the epoch
 * @param {{ from?: number, to?: number, requests: number }} measured since the epoch
 * @returns {{ allocatedBytes?: number, promotedBytes?: number, pauseMicroseconds?: number }} for
 * one request; empty where the measurement saw fewer than two collections
 */
export function costsOf(collections, startTime, { from = 0, to = 0, requests }) {
  const inside = collections.filter(({ at }) => startTime + at >= from && startTime + at <= to)
  const first = inside[0]
  const last = inside.at(-1)
  if (!first || !last || first.at === last.at) return {}
  // A collection reports what was allocated before it, so the first one belongs to the time before.
  const counted = inside.slice(1)
  const share = (last.at - first.at) / (to - from)
  const perRequest = (/** @type {(collection: Collection) => number} */ figure) =>
    counted.reduce((sum, collection) => sum + figure(collection), 0) / (requests * share)
  return {
    allocatedBytes: perRequest(({ allocated }) => allocated),
    promotedBytes: perRequest(({ promoted }) => promoted),
    pauseMicroseconds: perRequest(({ pause }) => pause) * 1_000,
  }
}
