import { setTimeout as wait } from 'node:timers/promises'
import { turns, writeRequest } from './writes.mjs'

/** @typedef {import('../harness/client.mjs').Client} Client */
/** @typedef {import('../harness/client.mjs').Answer} Answer */

/**
 * What a client knows of an entry.
 *
 * @typedef {object} Entry
 * @property {number} number
 * @property {string} id empty until a client was told
 * @property {number} writes how many of its writes were acknowledged
 * @property {boolean} isPending was one more sent, and not answered?
 * @property {Answer} [last] to the last write that was acknowledged
 */

/** Clients that each send one write after the other, until the service is gone. */
export class Writers {
  /** All entries that were begun, by number. @type {Map<number, Entry>} */
  entries = new Map()
  /** The entry of each writer, while the service is gone. @type {Entry[]} */
  interrupted = []
  acknowledged = 0
  /** Answers that nobody expects. @type {string[]} */
  refusals = []
  /** Requests whose connection broke. */
  brokenCount = 0
  /** How often there was each status, with its code. @type {Map<string, number>} */
  answers = new Map()
  /** When the last write was acknowledged, by `performance.now()`. */
  lastSuccessAt = Number.NEGATIVE_INFINITY
  #number = 0
  #isOver = false
  /** @type {Promise<unknown> | undefined} */
  #loops

  /**
   * @param {Client} client
   * @param {number} count
   */
  start(client, count) {
    this.#isOver = false
    const begun = this.interrupted.splice(0)
    this.#loops = Promise.all(
      Array.from({ length: count }, (_, index) => this.#write(client, begun[index])),
    )
  }

  /** Waits until all of them have noticed that the service is gone, or lets them finish. */
  async stop() {
    this.#isOver = true
    await this.#loops
  }

  /**
   * Sends the last write again, or the one without an answer.
   *
   * @param {Client} client
   * @param {Entry} entry
   */
  async repeat(client, entry) {
    const writes = entry.isPending ? entry.writes : entry.writes - 1
    const request = writeRequest(entry.number, writes, entry.id)
    for (;;) {
      const answer = await client(request)
      // The first request with the key may still hold its record: its process has just ended.
      if (answer.status !== 503 && answer.status !== 409) return answer
      await wait(20)
    }
  }

  /**
   * @param {Entry} entry
   * @param {Answer} answer
   */
  acknowledge(entry, answer) {
    entry.isPending = false
    entry.writes++
    entry.last = answer
    entry.id = JSON.parse(answer.body.toString()).entry.id
    this.acknowledged++
    this.lastSuccessAt = performance.now()
  }

  /**
   * @param {Client} client
   * @param {Entry | undefined} begun
   */
  async #write(client, begun) {
    let entry = begun ?? this.#begin()
    while (!this.#isOver) {
      if (entry.writes === turns.length) entry = this.#begin()
      entry.isPending = true
      const request = writeRequest(entry.number, entry.writes, entry.id)
      const answer = await client(request).catch(() => undefined)
      if (!answer) {
        this.brokenCount++
        break
      }
      const isSuccess = answer.status < 300
      if (isSuccess) this.acknowledge(entry, answer)
      this.#count(answer)
      if (isRefused(answer)) {
        this.refusals.push(`${answer.status} ${answer.body}`)
        break
      }
      if (!isSuccess) await wait(20)
    }
    this.interrupted.push(entry)
  }

  /** @param {Answer} answer */
  #count({ status, headers, body }) {
    const success = headers['idempotency-replayed'] === 'true' ? 'repeated' : ''
    const code = status < 300 ? success : JSON.parse(body.toString()).errors[0].code
    const name = `${status} ${code}`.trim()
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1)
  }

  #begin() {
    const entry = { number: ++this.#number, id: '', writes: 0, isPending: false }
    this.entries.set(entry.number, entry)
    return entry
  }
}

/** 503 says when to send the request again; 409: the first one with the key is still under way. */
function isRefused(/** @type {Answer} */ { status, headers, body }) {
  if (status < 300) return false
  if (status === 503) return headers['retry-after'] === undefined
  return status !== 409 || !String(body).includes('The first request with this Idempotency-Key')
}
