import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Server {
  /** For example `http://127.0.0.1:3000`. */
  readonly address: string
  readonly port: number
  /** Finishes the requests in flight, then closes the services. */
  close(): Promise<void>
  readonly node: HttpServer
}

export function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}
