import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clientOf } from '../harness/client.mjs'
import { startService } from '../harness/services.mjs'
import { Check } from './check.mjs'
import { Writers } from './writers.mjs'
import { preparations } from './writes.mjs'

const file = fileURLToPath(new URL('../harness/service.mjs', import.meta.url))

/** A service with its writers, over a database that is checked again and again. */
export class WrittenService {
  writers = new Writers()
  #client = clientOf(0)
  #folder
  /** @type {Map<string, number>} the writes in the log, by the id of the entry */
  #logged = new Map()
  /** @type {string} of the log */
  #position = ''
  #report
  /** @type {import('../harness/services.mjs').Service | undefined} */
  #service
  #settings

  /**
   * @param {{ store: string, processes: number, location: string }} settings
   * @param {string} folder
   * @param {import('../harness/report.mjs').Report} report
   */
  constructor(settings, folder, report) {
    this.#folder = folder
    this.#report = report
    this.#settings = settings
  }

  async start() {
    await this.#startService()
    for (const request of preparations()) {
      const { status, body } = await this.#client(request)
      if (status !== 201) throw new Error(`${request.path} was answered with ${status}: ${body}`)
    }
    const { body } = await this.#client({ method: 'GET', path: '/entries/changes' })
    this.#position = JSON.parse(body.toString()).next
  }

  /** Starts the writers, and waits until some writes are acknowledged. @param {number} count */
  async write(count) {
    this.writers.start(this.#client, count)
    await this.acknowledgedMore(count * (2 + Math.random() * 3))
  }

  /** @param {number} count */
  async acknowledgedMore(count) {
    const enough = this.writers.acknowledged + count
    const deadline = performance.now() + 60_000
    while (this.writers.acknowledged < enough)
      if (performance.now() > deadline) throw new Error('Writers are not answered for a minute.')
      else await wait(2)
  }

  /** Kills all of its processes amid the writers, and starts it again. */
  async kill() {
    await this.#service?.kill()
    await this.writers.stop()
    // These are what they were to be.
    this.writers.brokenCount = 0
    await this.#startService()
  }

  async end() {
    await this.#service?.kill()
  }

  /** Compares all that it has with what the writers know, while they do nothing. */
  async check() {
    const { writers } = this
    const check = new Check(this.#client, (kind, text) => this.#report.add(kind, text))
    await check.check(writers.entries.values(), writers.interrupted)
    for (const entry of writers.interrupted) await this.#repeat(entry)
    this.#position = await check.readLog(this.#position, this.#logged)
    this.#checkLog()
    const refusals = writers.refusals.splice(0)
    for (const refusal of refusals) this.#report.add('refused', refusal)
    if (refusals.length > 0) console.error(this.#service?.errors())
    if (writers.brokenCount > 0)
      this.#report.add('refused', `${writers.brokenCount} connections were broken.`)
    writers.brokenCount = 0
  }

  async #startService() {
    const blobs = `${this.#folder}/blobs`
    const args = [JSON.stringify({ ...this.#settings, blobs })]
    this.#service = await startService(file, { args })
    this.#client = clientOf(this.#service.port)
  }

  /** @param {import('./writers.mjs').Entry} entry */
  async #repeat(entry) {
    const { isPending, last, number } = entry
    if (!isPending && !last) return
    const answer = await this.writers.repeat(this.#client, entry)
    const { status, body } = answer
    if (isPending && status < 300) this.writers.acknowledge(entry, answer)
    else if (isPending || status !== last?.status || !body.equals(last.body))
      this.#report.add('not repeated', `entry ${number}: ${status} ${body}`)
  }

  #checkLog() {
    /** @type {Set<string>} */
    const ids = new Set()
    for (const { id, number, writes } of this.writers.entries.values()) {
      ids.add(id)
      const logged = this.#logged.get(id) ?? 0
      const kind = logged < writes ? 'half-applied' : 'twice'
      if (logged !== writes)
        this.#report.add(kind, `entry ${number}: ${writes} writes, ${logged} in the log.`)
    }
    for (const id of this.#logged.keys())
      if (!ids.has(id)) this.#report.add('twice', `nobody knows the entry ${id} of the log.`)
  }
}
