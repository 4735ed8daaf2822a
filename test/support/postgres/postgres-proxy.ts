import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { frameMessages, type Message, writeMessage } from './wire-messages.ts'

/** A server that the proxy leads to. */
interface Target {
  readonly folder: string
  readonly port: number
}

/**
 * What happens to the next round trip that has a statement which begins with this text:
 * - `loseRequest`: the server does not get it, and the connection of the client is closed;
 * - `loseResponse`: the server carries it out, and the connection is closed instead of a response;
 * - `report`: the server carries it out, and the client gets this error instead.
 */
export interface Disturbance {
  readonly statement: string
  readonly kind: 'loseRequest' | 'loseResponse' | 'report'
  /** Of `report`. */
  readonly sqlState?: string
}

/**
 * An address that leads to a PostgreSQL server, as a name does whose address changes. It can
 * disturb single round trips, and say to clients what a server says that becomes a standby.
 */
export class PostgresProxy {
  target: Target
  disturbance: Disturbance | undefined
  #isOpen = true
  readonly #clients = new Set<Socket>()
  readonly #server: Server

  private constructor(target: Target) {
    this.target = target
    this.#server = createServer((client) => this.#accept(client))
  }

  static async before(target: Target): Promise<PostgresProxy> {
    const proxy = new PostgresProxy(target)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  /** With its port. */
  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  get url(): string {
    return `postgres://postgres@${this.host}/postgres`
  }

  get openCount(): number {
    return this.#clients.size
  }

  /** Sends a setting of the server to all clients, as the server does when it changes. */
  report(name: string, value: string): void {
    const message = writeMessage('S', Buffer.from(`${name}\0${value}\0`))
    for (const client of this.#clients) client.write(message)
  }

  /** Once it is not, all connections end, and further ones do too. */
  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen
    if (!isOpen) for (const client of this.#clients) client.destroy()
  }

  async close(): Promise<void> {
    this.isOpen = false
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(client: Socket): void {
    if (!this.#isOpen) return void client.destroy()
    this.#clients.add(client)
    const { folder, port } = this.target
    const server = connect(`${folder}/.s.PGSQL.${port}`)
    client.on('error', () => {}).on('close', () => this.#clients.delete(client))
    server.on('error', () => client.destroy()).on('close', () => client.destroy())
    client.on('close', () => server.end())

    let disturbed: Disturbance | undefined
    const fromClient = frameMessages({ hasStartup: true }, (message) => {
      if (this.#disturbs(message)) {
        disturbed = this.disturbance
        this.disturbance = undefined
        if (disturbed?.kind === 'loseRequest') client.destroy()
      }
      if (!client.destroyed) server.write(message.bytes)
    })
    const fromServer = frameMessages({ hasStartup: false }, (message) => {
      if (!disturbed) return void client.write(message.bytes)
      // The response is complete once the server is ready for the next statement.
      if (message.type !== 'Z') return
      if (disturbed.kind === 'report') client.end(errorMessage(disturbed.sqlState!))
      else client.destroy()
    })
    client.on('data', fromClient)
    server.on('data', fromServer)
  }

  #disturbs({ type, bytes }: Message): boolean {
    if (type !== 'P' || !this.disturbance) return false
    return bytes.includes(`\0${this.disturbance.statement}`)
  }
}

function errorMessage(sqlState: string): Buffer {
  const fields = ['SFATAL', 'VFATAL', `C${sqlState}`, 'Msimulated by the proxy']
  return writeMessage('E', Buffer.from(`${fields.join('\0')}\0\0`))
}
