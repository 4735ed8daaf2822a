import { firstToSucceed } from '../../concurrency/first-to-succeed.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { type ConnectOptions, connect, type ServerRole } from './connect.ts'
import type { PostgresConnection } from './connection.ts'
import { ConnectionLost } from './postgres-error.ts'

/** A server that takes longer is still awaited, but the next one is tried beside it. */
const pauseMs = 250

/** How often the others are asked again meanwhile: one of them may be promoted. */
const retryMs = 200

/** The servers of one database, of which one has the role that is asked for. */
export class Servers {
  readonly urls: readonly string[]
  readonly #role: ServerRole
  /** Which of them had the role last. */
  #current = 0

  constructor(urls: readonly string[], role: ServerRole) {
    this.urls = urls
    this.#role = role
  }

  /** The URL of the server that had the role when a connection was last opened. */
  get currentUrl(): string {
    return this.urls[this.#current]!
  }

  /**
   * Opens a connection to the server that has the role: the last one that had it, unless it does
   * not respond or another has it now.
   * @throws ConnectionLost if none of them can be used at the moment
   */
  async connect(options: ConnectOptions): Promise<PostgresConnection> {
    const { urls } = this
    if (urls.length === 1) return connect(urls[0]!, this.#role, options)
    const attempts = urls.map((_, offset) => {
      const index = (this.#current + offset) % urls.length
      return async () => {
        const connection = await connect(urls[index]!, this.#role, options)
        return { connection, index }
      }
    })
    const outcome = await firstToSucceed(attempts, {
      pauseMs,
      retryMs,
      onLate: ({ connection }) => void connection.end(),
    })
    if ('errors' in outcome) throw noneOf(outcome.errors as readonly Error[])
    this.#current = outcome.value.index
    return outcome.value.connection
  }
}

/** A call may succeed later if one of the servers may. */
function noneOf(errors: readonly Error[]): Error {
  const message = `No server of PostgreSQL can be used: ${errors.map((error) => error.message).join(' ')}`
  if (errors.some((error) => error instanceof ConnectionLost))
    return new ConnectionLost(message, { cause: errors })
  return errors.some((error) => error instanceof StoreUnavailable)
    ? new StoreUnavailable(message, { cause: errors })
    : new Error(message, { cause: errors })
}
