import type { Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServedStore } from './log/served-stores.ts'

export interface Server {
  /** For example `http://127.0.0.1:3000`. */
  readonly address: string
  readonly port: number
  /**
   * Which process this is: the only one, or with `workers` their primary, which responds to no
   * requests, or one of them. The module runs in all of them.
   */
  readonly role: 'only' | 'primary' | 'worker'
  /**
   * The stores of the services, such as `PostgreSQL 15.18`, with what their servers lack. In a
   * primary, those of the worker that was ready last.
   */
  readonly stores: readonly ServedStore[]
  /** Finishes the requests in flight, then closes the services. In a primary, of all workers. */
  close(): Promise<void>
  /**
   * Replaces all workers, without a request that fails: new ones start with the module as it is
   * now, and then the old ones finish their requests. SIGHUP does the same.
   * @throws Error where a new worker does not start, so that the old ones go on, and in a process
   * that is no primary
   */
  restart(): Promise<void>
  /** @throws Error in a primary, which has none */
  readonly node: HttpServer
}

export function addressOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** For processes without workers. */
export async function refuseRestart(): Promise<never> {
  throw new Error("restart() replaces workers; call it in the primary of serve() with 'workers'.")
}
