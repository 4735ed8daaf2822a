import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import type { RunnerProcess } from './runner-process.ts'

const noVersion = `The service does not run. The terminal of 'resourcery dev' says why.\n`

const unavailable = [
  'HTTP/1.1 503 Service Unavailable',
  'Content-Type: text/plain; charset=utf-8',
  `Content-Length: ${Buffer.byteLength(noVersion)}`,
  'Connection: close',
  '',
  noVersion,
].join('\r\n')

/**
 * The port of `resourcery dev`. It gives its connections to the version that runs; while another
 * one starts they wait for it, so that a request after a save gets the new version.
 */
export class DevPort {
  readonly #server: Server
  #waiting: Socket[] | undefined
  #runner: RunnerProcess | undefined

  constructor() {
    this.#server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
      // Otherwise Node.js keeps lists of the sockets that each process has.
      Reflect.set(socket, 'server', null)
      socket.on('error', () => socket.destroy())
      if (this.#waiting) this.#waiting.push(socket)
      else this.#give(socket)
    })
  }

  /** @throws Error if another program has the port */
  listen(port: number, host: string): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => {
        const isUsed = error.code === 'EADDRINUSE'
        const message = `Another program listens on port ${port}. End it, or choose another port: --port=${port + 1}.`
        reject(isUsed ? new Error(message, { cause: error }) : error)
      })
      this.#server.listen(port, host, () => resolve(this.#server.address() as AddressInfo))
    })
  }

  /** Keeps connections until `resume`. */
  pause(): void {
    this.#waiting ??= []
  }

  /** @param runner the version that gets connections; undefined if none runs */
  resume(runner: RunnerProcess | undefined): void {
    this.#runner = runner
    const waiting = this.#waiting ?? []
    this.#waiting = undefined
    for (const socket of waiting) this.#give(socket)
  }

  close(): void {
    this.#server.close()
    for (const socket of this.#waiting ?? []) socket.destroy()
  }

  #give(socket: Socket): void {
    if (this.#runner) return void this.#runner.give(socket)
    socket.end(unavailable)
    socket.resume()
  }
}
