import { once } from 'node:events'
import { connect, createServer } from 'node:net'

/** @typedef {import('node:net').Socket} Socket */

/**
 * An address that leads to a port of this machine, like a cable: while it is cut, what is sent
 * arrives nowhere and no end of a connection is seen; afterwards all of it arrives.
 */
export class Link {
  isCut = false
  /** @type {Set<Socket>} */
  #clients = new Set()
  /** What happens when the cable is whole again. @type {(() => void)[]} */
  #held = []
  #server = createServer((client) => this.#accept(client))
  #target

  /** @param {number} target a port */
  constructor(target) {
    this.#target = target
  }

  async open() {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return this
  }

  get port() {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('The link is closed.')
    return address.port
  }

  /** The connections that its clients have. */
  get openCount() {
    return this.#clients.size
  }

  cut() {
    this.isCut = true
  }

  mend() {
    this.isCut = false
    for (const pass of this.#held.splice(0)) pass()
  }

  /** Breaks all of its connections, as a router does that has forgotten them. */
  reset() {
    for (const client of this.#clients) client.resetAndDestroy()
  }

  close() {
    for (const client of this.#clients) client.destroy()
    this.#server.close()
  }

  /** @param {Socket} client */
  #accept(client) {
    this.#clients.add(client)
    client.setNoDelay(true)
    client.on('error', () => {}).on('close', () => this.#clients.delete(client))
    /** @type {Socket | undefined} */
    let server
    this.#pass(() => {
      server = connect({ port: this.#target, host: '127.0.0.1', noDelay: true })
      server.on('error', () => {})
      server.on('data', (bytes) => this.#pass(() => client.write(bytes)))
      server.on('close', () => this.#pass(() => client.end()))
    })
    client.on('data', (bytes) => this.#pass(() => server?.write(bytes)))
    client.on('close', () => this.#pass(() => server?.end()))
  }

  /** @param {() => void} action */
  #pass(action) {
    if (this.isCut) this.#held.push(action)
    else action()
  }
}
