// The questions to the process of the load.

import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'

/** @typedef {import('../harness/processes.mjs').Child} Child */

export const waitMs = (/** @type {number} */ ms) => wait(ms)

/**
 * @param {Child} load
 * @param {any} question
 */
export async function ask(load, question) {
  const leaving = new AbortController()
  const { signal } = leaving
  const failed = once(load, 'exit', { signal }).then(() => {
    throw new Error(`The load failed at ${JSON.stringify(question)}.`)
  })
  const answered = once(load, 'message', { signal })
  // The one that is not needed is aborted.
  for (const each of [failed, answered]) each.catch(() => {})
  load.send(question)
  try {
    return (await Promise.race([answered, failed]))[0]
  } finally {
    leaving.abort()
  }
}

/**
 * Requests with a response since the load began.
 *
 * @param {Child} load
 */
export async function requestsOf(load) {
  /** @type {Record<string, number>} */
  const counts = await ask(load, 'count')
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}
