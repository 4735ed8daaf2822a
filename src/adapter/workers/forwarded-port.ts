import { createServer, type Server, type Socket } from 'node:net'
import { listen } from '../node-server.ts'
import { acceptAs } from './forwarded-connection.ts'

/** Where a new worker accepts the connections that old ones forward. */
export class ForwardedPort {
  readonly #receive: (socket: Socket) => boolean
  readonly #onError: (error: unknown) => void
  #server: Server | undefined

  /** @param receive gets a connection, and returns whether the worker accepts it */
  constructor(receive: (socket: Socket) => boolean, onError: (error: unknown) => void) {
    this.#receive = receive
    this.#onError = onError
  }

  /** Listens for this machine alone. @returns the port */
  async open(): Promise<number> {
    this.close()
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      acceptAs(socket, this.#receive).catch(this.#onError)
    })
    this.#server = server
    const { port } = await listen(server, { host: '127.0.0.1', port: 0 }, this.#onError)
    return port
  }

  /** Connections that were accepted go on. */
  close(): void {
    this.#server?.close()
    this.#server = undefined
  }
}
