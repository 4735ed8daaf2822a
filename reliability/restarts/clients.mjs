import { setTimeout as wait } from 'node:timers/promises'
import { clientOf } from '../harness/client.mjs'

/**
 * @typedef {object} Failure
 * @property {string} kind its status and code, or what broke
 * @property {number} at by `performance.now()`
 */

const headers = { 'content-type': 'application/json' }

/** Clients that read, change and create items, whatever the version of the model is. */
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
    for (let turn = 0; !this.#isOver; turn++) {
      const path = `/products/p${Math.floor(Math.random() * this.#itemCount)}`
      const body = JSON.stringify({ product: { count: turn } })
      await this.#send(client, 200, { method: 'GET', path })
      await this.#send(client, 200, { method: 'PATCH', path, headers, body })
      await this.#send(client, 200, { method: 'GET', path: '/products?page%5Bsize%5D=10' })
      if (turn % 10 === 0)
        await this.#send(client, 201, { method: 'POST', path: '/products', headers, body })
      await wait(5)
    }
  }

  /**
   * @param {import('../harness/client.mjs').Client} client
   * @param {number} expected
   * @param {import('../harness/client.mjs').Asked} asked
   */
  async #send(client, expected, asked) {
    const startedAt = performance.now()
    const outcome = await client(asked).then(
      ({ status, body }) => (status === expected ? undefined : `${status} ${codeIn(body)}`),
      (error) => `${error.code ?? error.message}`,
    )
    const now = performance.now()
    this.requestCount++
    this.longestMs = Math.max(this.longestMs, now - startedAt)
    if (outcome !== undefined) this.failures.push({ kind: `${asked.method} ${outcome}`, at: now })
  }
}

/** @param {Buffer} body */
function codeIn(body) {
  return /"code":"([^"]*)"/.exec(body.toString())?.[1] ?? ''
}
