import type { ClientConfig } from 'pg'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { CancelTarget } from './cancel-request.ts'
import { connectionCheckMs, PostgresConnection } from './connection.ts'
import { toConnectError } from './postgres-error.ts'
import type { ServerTimeouts } from './server-timeouts.ts'
import type { StatementNames } from './statement-names.ts'

/**
 * How the server writes values, whatever its configuration says. PgBouncer keeps only the first two
 * for each of its clients, and the others could change what its other clients get. It tells its
 * clients another process id than that of the server.
 */
const trackedSettings = ["set timezone to 'UTC'", "set datestyle to 'ISO, YMD'"]
const otherSettings = [
  "set intervalstyle to 'iso_8601'",
  "set bytea_output to 'hex'",
  'set extra_float_digits to 1',
  // Of statements that are a transaction by themselves.
  "set default_transaction_isolation to 'read committed'",
  'set default_transaction_read_only to off',
]

/**
 * Compiling a statement takes longer than running it: seconds for a filter that needs milliseconds.
 * And a server that looks whether its client is still there ends statements that nobody waits for.
 * Servers that lack a setting, or cannot have this value, go on without it.
 */
const optionalSettings = [
  ['jit', 'off'],
  ['client_connection_check_interval', String(connectionCheckMs)],
].map(
  ([name, value]) =>
    `do $$ begin perform set_config('${name}', '${value}', false); exception when others then null; end $$`,
)

export interface ConnectOptions {
  readonly connectTimeoutMs: number
  readonly names: StatementNames
  /** Set for the whole connection, unless there is a pooler. */
  readonly timeouts: ServerTimeouts
}

/** Opens a connection. */
export async function connect(
  url: string,
  { connectTimeoutMs, names, timeouts }: ConnectOptions,
): Promise<PostgresConnection> {
  const { Client } = await loadDriver()
  const config: ClientConfig = {
    connectionString: url,
    fallback_application_name: 'resourcery',
    keepAlive: true,
  }
  const client = new Client(config)
  // Without a listener, an error between two statements would end the process.
  client.on('error', () => {})
  let step: 'login' | 'settings' = 'login'
  const prepare = async (): Promise<ServerTimeouts | undefined> => {
    await client.connect()
    step = 'settings'
    await client.query(trackedSettings.join(';'))
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    if (rows[0]?.pid !== (client as unknown as CancelTarget).processID) return undefined
    const limits = Object.entries(timeouts).map(([name, value]) => `set ${name} to ${value}`)
    await client.query([...otherSettings, ...optionalSettings, ...limits].join(';'))
    return timeouts
  }
  try {
    const setTimeouts = await withTimeout(prepare(), {
      timeoutMs: connectTimeoutMs,
      timeoutError: () =>
        new StoreUnavailable(`PostgreSQL did not respond for ${connectTimeoutMs} ms.`),
    })
    return new PostgresConnection(client, names, setTimeouts)
  } catch (error) {
    client.connection.stream.destroy()
    throw toConnectError(error, step)
  }
}

function loadDriver(): Promise<typeof import('pg')> {
  return import('pg').catch((cause) => {
    throw new Error("PostgreSQL needs the package 'pg'. Run 'npm install pg'.", { cause })
  })
}
