// What somebody would write by hand with `node:http`: for each request its statements, one after
// the other, and the same JSON as the library sends. It has no ETag, no links to other pages, no
// negotiation, and no check of what clients send.

import { createServer } from 'node:http'

/**
 * @typedef {import('./requests.mjs').Request} Request
 * @typedef {import('./documents.mjs').SqlRow} SqlRow
 */

/**
 * @param {readonly Request[]} requests the path of each is `/` and its index
 * @param {(statement: import('./requests.mjs').Statement) => Promise<SqlRow[]>} rowsOf
 */
export async function serveByHand(requests, rowsOf) {
  const server = createServer(async (request, response) => {
    const { sql, document } = /** @type {Request} */ (requests[Number(request.url?.slice(1))])
    const results = []
    for (const statement of sql) results.push(await rowsOf(statement))
    const body = Buffer.from(JSON.stringify(document(results)))
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}
