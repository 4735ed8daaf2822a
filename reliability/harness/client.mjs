// A client that reads whole responses, on connections that are kept open.

import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * @typedef {object} Asked
 * @property {string} method
 * @property {string} path
 * @property {Record<string, string>} [headers]
 * @property {string | Uint8Array} [body]
 * @property {readonly string[]} [pieces] of a body that is sent as it is made, without its length
 */

/** @typedef {{ status: number, headers: import('node:http').IncomingHttpHeaders, body: Buffer }} Answer */
/** @typedef {(asked: Asked) => Promise<Answer>} Client rejects where the connection breaks */

/**
 * @param {number} port
 * @returns {Client}
 */
export function clientOf(port) {
  const agent = new Agent({ keepAlive: true })
  return ({ method, path, headers = {}, body, pieces }) =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, agent, method, path, headers }
      const sent = request(options, (response) => {
        /** @type {Buffer[]} */
        const chunks = []
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () => {
          const { statusCode = 0, headers: answered } = response
          resolve({ status: statusCode, headers: answered, body: Buffer.concat(chunks) })
        })
      })
      sent.on('error', reject)
      if (pieces) void sendPieces(sent, pieces)
      else sent.end(body)
    })
}

/**
 * @param {import('node:http').ClientRequest} sent
 * @param {readonly string[]} pieces
 */
async function sendPieces(sent, pieces) {
  for (const piece of pieces) {
    sent.write(piece)
    await wait(10)
  }
  sent.end()
}
