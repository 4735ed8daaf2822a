// Streams the whole collection in chunks by key. No statement stays open between two chunks, so
// writes and other requests are not blocked.

import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'

/** @typedef {import('./list-query.mjs').ListQuery} ListQuery */

/**
 * @param {ReturnType<typeof import('./lists.mjs').listReader>} lists
 * @param {ListQuery} query
 * @param {import('node:http').ServerResponse} response
 */
export async function streamList(lists, query, response) {
  const controller = new AbortController()
  response.once('close', () => controller.abort())
  let step = lists.step(query, '')
  response.writeHead(200, ['content-type', 'application/json', 'vary', 'Accept'])
  // Sends the opening with the first rows, because each write makes a packet.
  let chunk = joined('{"books":[', step.rows)
  while (step.isFull) {
    if (!response.write(chunk)) await drained(response, controller.signal)
    await setImmediate()
    if (controller.signal.aborted) return
    step = lists.step(query, step.last)
    chunk = joined(',', step.rows)
  }
  response.write(chunk)
  response.end(']}')
}

/**
 * @param {string} before
 * @param {Uint8Array | null} rows
 */
function joined(before, rows) {
  if (rows) return Buffer.concat([Buffer.from(before), rows])
  return before === ',' ? '' : before
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {AbortSignal} signal
 */
async function drained(response, signal) {
  try {
    await once(response, 'drain', { signal })
  } catch (error) {
    if (!signal.aborted) throw error
  }
}
