import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { clientOf } from '../harness/client.mjs'

/**
 * @typedef {object} Failure
 * @property {string} kind its status and code, or what broke
 * @property {number} at by `performance.now()`
 */

/** @typedef {{ asked: import('../harness/client.mjs').Asked, id: string }} Creation */

const headers = { 'content-type': 'application/json' }

/**
 * Clients that read, change and create items, whatever the version of the model is, each on one
 * connection after the other.
 */
export class Clients {
  requestCount = 0
  longestMs = 0
  /** @type {Failure[]} */
  failures = []
  #isOver = false
  #itemCount
  #loops

  /**
   * @param {number} port
   * @param {number} count
   * @param {number} itemCount
   */
  constructor(port, count, itemCount) {
    this.#itemCount = itemCount
    this.#loops = Array.from({ length: count }, () => this.#run(clientOf(port)))
  }

  async stop() {
    this.#isOver = true
    await Promise.all(this.#loops)
  }

  /** @param {import('../harness/client.mjs').Client} client */
  async #run(client) {
    /** @type {Creation | undefined} */
    let created
    for (let turn = 0; !this.#isOver; turn++) {
      const path = `/products/p${Math.floor(Math.random() * this.#itemCount)}`
      const body = JSON.stringify({ product: { count: turn } })
      await this.#send(client, 200, { method: 'GET', path })
      await this.#send(client, 200, { method: 'PATCH', path, headers, body })
      await this.#send(client, 200, { method: 'GET', path: '/products?page%5Bsize%5D=10' })
      if (turn % 5 === 0) {
        const pieces = [body.slice(0, 5), body.slice(5, 9), body.slice(9)]
        await this.#send(client, 200, { method: 'PATCH', path, headers, pieces })
      }
      if (turn % 10 === 0) created = await this.#create(client, body)
      else if (created && turn % 10 < 4) await this.#repeat(client, created)
      await wait(5)
    }
  }

  /**
   * @param {import('../harness/client.mjs').Client} client
   * @param {string} body
   * @returns {Promise<Creation | undefined>}
   */
  async #create(client, body) {
    const key = { 'idempotency-key': `"${randomUUID()}"` }
    const asked = { method: 'POST', path: '/products', headers: { ...headers, ...key }, body }
    const response = await this.#send(client, 201, asked)
    return response === undefined ? undefined : { asked, id: JSON.parse(response).product.id }
  }

  /**
   * Sends a request again, perhaps to another version, which must respond with the same item.
   *
   * @param {import('../harness/client.mjs').Client} client
   * @param {Creation} creation
   */
  async #repeat(client, { asked, id }) {
    const repeated = await this.#send(client, 201, asked)
    if (repeated && JSON.parse(repeated).product.id !== id)
      this.failures.push({ kind: 'POST carried out twice', at: performance.now() })
  }

  /**
   * @param {import('../harness/client.mjs').Client} client
   * @param {number} expected
   * @param {import('../harness/client.mjs').Asked} asked
   * @returns {Promise<string | undefined>} the body; undefined if the request failed
   */
  async #send(client, expected, asked) {
    const startedAt = performance.now()
    const outcome = await client(asked).then(
      ({ status, body }) =>
        status === expected ? { body: body.toString() } : { fault: `${status} ${codeIn(body)}` },
      (error) => ({ fault: `${error.code ?? error.message}` }),
    )
    const now = performance.now()
    this.requestCount++
    this.longestMs = Math.max(this.longestMs, now - startedAt)
    if ('body' in outcome) return outcome.body
    this.failures.push({ kind: `${asked.method} ${outcome.fault}`, at: now })
    return undefined
  }
}

/** @param {Buffer} body */
function codeIn(body) {
  return /"code":"([^"]*)"/.exec(body.toString())?.[1] ?? ''
}
