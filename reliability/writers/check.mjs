// Compares what the service has with what its clients know.

import {
  accountIds,
  attachmentOf,
  attachmentSize,
  entryAt,
  sha256,
  stateAfter,
  tagIds,
} from './writes.mjs'

/** @typedef {import('./writers.mjs').Entry} Entry */
/** @typedef {import('../harness/client.mjs').Client} Client */

/** @typedef {'lost' | 'twice' | 'half-applied' | 'not repeated'} Fault */
/** @typedef {(fault: Fault, text: string) => void} Report */

/**
 * @typedef {{ id: string, number: number, step: number, account: string, tags: string[],
 * attachment: null | { size: number, hash: string } }} Stored an entry of the service
 */

export class Check {
  #client
  #report
  /** @type {Map<number, Stored[]>} */
  #stored = new Map()

  /**
   * @param {Client} client
   * @param {Report} report
   */
  constructor(client, report) {
    this.#client = client
    this.#report = report
  }

  /**
   * Before any write is repeated.
   *
   * @param {Iterable<Entry>} entries
   * @param {readonly Entry[]} touched of which the bytes are read
   */
  async check(entries, touched) {
    const { entries: all } = await this.#read('/entries')
    this.#stored = grouped(all)
    for (const entry of entries) this.#checkEntry(entry)
    await this.#checkTags(all)
    await this.#checkRollups(all)
    for (const entry of touched) await this.#checkBytes(entry)
  }

  /**
   * The writes of the log since a position.
   *
   * @param {string} since
   * @param {Map<string, number>} logged by the id of the entry
   * @returns {Promise<string>} the position of now
   */
  async readLog(since, logged) {
    let next = since
    for (;;) {
      const page = await this.#read(`/entries/changes?limit=100&since=${encodeURIComponent(next)}`)
      for (const { kind, id } of page.changes) {
        if (kind === 'reset') throw new Error('The log was reset.')
        logged.set(id, (logged.get(id) ?? 0) + 1)
      }
      next = page.next
      if (page.isEnd || page.changes.length === 0) return next
    }
  }

  /** @param {string} path */
  async #read(path) {
    const { status, body } = await this.#client({ method: 'GET', path })
    if (status !== 200) throw new Error(`GET ${path} was answered with ${status}: ${body}`)
    return JSON.parse(body.toString())
  }

  /** @param {Entry} entry */
  #checkEntry({ number, writes, isPending }) {
    const [stored, ...more] = this.#stored.get(number) ?? []
    const name = `entry ${number}`
    if (more.length > 0) this.#report('twice', `${name} is there ${more.length + 1} times.`)
    if (!stored) {
      if (writes > 0) this.#report('lost', `${name} was acknowledged.`)
      return
    }
    const [least, most] = [stateAfter(writes), stateAfter(writes + (isPending ? 1 : 0))]
    const upload = uploadOf(stored)
    if (stored.step < least.step) this.#report('lost', `${name}: step ${least.step}.`)
    if (upload !== undefined && upload < least.upload)
      this.#report('lost', `${name}: upload ${least.upload}.`)
    const expected = entryAt(number, stored.step)
    const isWhole =
      stored.account === expected.account &&
      [...stored.tags].sort().join() === [...expected.tags].sort().join()
    if (!isWhole || stored.step > most.step || upload === undefined || upload > most.upload)
      this.#report('half-applied', `${name}: ${JSON.stringify(stored)}`)
  }

  /** Join rows, as filters read them. @param {readonly Stored[]} all */
  async #checkTags(all) {
    for (const tag of tagIds) {
      const path = `/entries?filter%5Btags%5D=${tag}&fields%5Bentries%5D=number`
      const { entries } = await this.#read(path)
      const numbers = (/** @type {Stored[]} */ list) => list.map(({ number }) => number).sort()
      const expected = all.filter(({ tags }) => tags.includes(tag))
      if (numbers(entries).join() !== numbers(expected).join())
        this.#report('half-applied', `join rows of ${tag} differ from the entries.`)
    }
  }

  /** @param {readonly Stored[]} all */
  async #checkRollups(all) {
    const { accounts } = await this.#read('/accounts')
    for (const id of accountIds) {
      const own = all.filter(({ account }) => account === id)
      const total = own.reduce((sum, { number }) => sum + number, 0)
      const stored = accounts.find((/** @type {{ id: string }} */ account) => account.id === id)
      if (stored?.entryCount !== own.length || stored.total !== total)
        this.#report('half-applied', `rollups of ${id}: ${JSON.stringify(stored)}, ${total}`)
    }
  }

  /** @param {Entry} entry */
  async #checkBytes({ number }) {
    const [stored] = this.#stored.get(number) ?? []
    if (!stored?.attachment) return
    const path = `/entries/${stored.id}/attachment`
    const { status, body } = await this.#client({ method: 'GET', path })
    if (status !== 200 || sha256(body).digest('hex') !== stored.attachment.hash)
      this.#report('half-applied', `entry ${number}: ${status}, ${body.length} bytes of its file.`)
  }
}

/** Which upload its attachment is; undefined where it is none of them. @param {Stored} stored */
function uploadOf({ number, attachment }) {
  if (attachment === null) return 0
  return [1, 2].find(
    (upload) =>
      attachment.size === attachmentSize(number, upload) &&
      attachment.hash === hashOf(number, upload),
  )
}

/** @type {Map<string, string>} */
const hashes = new Map()

/**
 * @param {number} number
 * @param {number} upload
 */
function hashOf(number, upload) {
  const key = `${number} ${upload}`
  const hash = hashes.get(key) ?? sha256(attachmentOf(number, upload)).digest('hex')
  hashes.set(key, hash)
  return hash
}

/** @param {readonly Stored[]} all */
function grouped(all) {
  /** @type {Map<number, Stored[]>} */
  const groups = new Map()
  for (const stored of all)
    groups.set(stored.number, [...(groups.get(stored.number) ?? []), stored])
  return groups
}
