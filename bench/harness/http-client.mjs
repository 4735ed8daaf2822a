// A client with an address of its own, which services count it by.

import { Agent, request } from 'node:http'

/** @typedef {ReturnType<typeof clientOf>} Client */

/**
 * @param {number} port
 * @param {string} localAddress
 */
export function clientOf(port, localAddress) {
  const agent = new Agent({ keepAlive: true })
  return (/** @type {string} */ method, /** @type {string} */ path, /** @type {unknown} */ body) =>
    /** @type {Promise<{ status: number, ms: number }>} */ (
      new Promise((resolve, reject) => {
        const startedAt = performance.now()
        const headers = body === undefined ? {} : { 'content-type': 'application/json' }
        const options = { host: '127.0.0.1', port, localAddress, agent, method, path, headers }
        const sent = request(options, (response) => {
          response.resume().on('end', () => {
            resolve({ status: response.statusCode ?? 0, ms: performance.now() - startedAt })
          })
        })
        sent.on('error', reject)
        sent.end(body === undefined ? undefined : JSON.stringify(body))
      })
    )
}
