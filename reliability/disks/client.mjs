// A client that knows what was acknowledged to it.

import { createHash } from 'node:crypto'

/** @typedef {{ status: number, code: string | undefined, hasRetryAfter: boolean }} Answer */

/** So long is the file of a note: a part of it is on the disk before the rest is refused. */
const scanBytes = 40_000

export class Client {
  /**
   * The notes that were acknowledged, and whether their files were.
   *
   * @type {Map<string, boolean>}
   */
  acknowledged = new Map()
  /** @type {Answer[]} */
  answers = []
  #count = 0
  address = ''

  /** Creates a note with a file. @returns {Promise<boolean>} whether both were acknowledged */
  async write() {
    const id = String(++this.#count)
    const created = await this.#send('/notes', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `"create-${id}"` },
      body: JSON.stringify({ note: { id, number: this.#count, text: textOf(id, 2_000) } }),
    })
    if (created.status !== 201) return false
    this.acknowledged.set(id, false)
    const uploaded = await this.#send(`/notes/${id}/scan`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: textOf(id, scanBytes),
    })
    const isUploaded = uploaded.status === 200
    this.acknowledged.set(id, isUploaded)
    return isUploaded
  }

  /** Reads a note that was acknowledged, and its file. */
  async read() {
    const [id] = [...this.acknowledged].findLast(([, hasScan]) => hasScan) ?? ['']
    const note = await this.#send(`/notes/${id}`, {})
    const scan = await this.#send(`/notes/${id}/scan`, {})
    return note.status === 200 && scan.status === 200
  }

  /** Lists all notes. */
  async list() {
    return (await this.#send('/notes', {})).status === 200
  }

  /** What was acknowledged, and is not there: sentences. */
  async findLost() {
    const lost = []
    for (const [id, hasScan] of this.acknowledged) {
      const note = await this.#fetch(`/notes/${id}`, {})
      if (note.status !== 200 || JSON.parse(note.text).note.text !== textOf(id, 2_000))
        lost.push(`note ${id}: ${note.status} ${note.text.slice(0, 200)}`)
      if (!hasScan) continue
      const scan = await this.#fetch(`/notes/${id}/scan`, {})
      if (scan.status !== 200 || sha256(scan.text) !== sha256(textOf(id, scanBytes)))
        lost.push(`file of note ${id}: ${scan.status} ${scan.text.slice(0, 200)}`)
    }
    return lost
  }

  takeAnswers() {
    return this.answers.splice(0)
  }

  /** @param {string} path @param {RequestInit} init */
  async #send(path, init) {
    const answer = await this.#fetch(path, init)
    this.answers.push(answer)
    return answer
  }

  /** @param {string} path @param {RequestInit} init */
  async #fetch(path, init) {
    try {
      const response = await fetch(`${this.address}${path}`, {
        ...init,
        signal: AbortSignal.timeout(15_000),
      })
      const text = await response.text()
      const { status, headers } = response
      const code = status < 400 ? undefined : /"code":"([^"]+)"/.exec(text)?.[1]
      return { status, code, hasRetryAfter: headers.has('retry-after'), text }
    } catch (error) {
      const { message, cause } = /** @type {Error} */ (error)
      return { status: 0, code: String(cause ?? message), hasRetryAfter: false, text: '' }
    }
  }
}

/** @param {string} id @param {number} length */
const textOf = (id, length) => `${id} `.repeat(length).slice(0, length)

/** @param {string} text */
const sha256 = (text) => createHash('sha256').update(text).digest('hex')
