import type { Client, ClientConfig } from 'pg'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { CancelTarget } from './cancel-request.ts'
import { connectionCheckMs, PostgresConnection } from './connection.ts'
import { ConnectionLost, ReadOnlyServer, toConnectError } from './postgres-error.ts'
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
] as const

const optionalBlocks = optionalSettings.map(
  ([name, value]) =>
    `do $$ begin perform set_config('${name}', '${value}', false); exception when others then null; end $$`,
)

export interface ConnectOptions {
  readonly connectTimeoutMs: number
  readonly names: StatementNames
  /** Set for the whole connection, unless there is a pooler. */
  readonly timeouts: ServerTimeouts
  /** Called when a server with the role of a primary says that it is a standby from now on. */
  onDemoted?(): void
}

/** What a server has to be: one that takes writes, or any, which may be a standby. */
export type ServerRole = 'primary' | 'any'

/**
 * Opens a connection.
 * @throws ReadOnlyServer for a standby where the role is that of a primary
 */
export async function connect(
  url: string,
  role: ServerRole,
  { connectTimeoutMs, names, timeouts, onDemoted }: ConnectOptions,
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
    const { rows } = await client.query<{ pid: number; isStandby: boolean }>(serverQuery)
    if (role === 'primary' && rows[0]?.isStandby) throw standbyAt(client)
    if (rows[0]?.pid !== (client as unknown as CancelTarget).processID) return undefined
    const limits = Object.entries(timeouts).map(([name, value]) => `set ${name} to ${value}`)
    await configure(client, [...otherSettings, ...limits])
    return timeouts
  }
  try {
    const setTimeouts = await withTimeout(prepare(), {
      timeoutMs: connectTimeoutMs,
      timeoutError: () =>
        new ConnectionLost(`PostgreSQL did not respond for ${connectTimeoutMs} ms.`),
    })
    if (role === 'primary' && onDemoted) watchRole(client, onDemoted)
    return new PostgresConnection(client, names, setTimeouts)
  } catch (error) {
    client.connection.stream.destroy()
    throw toConnectError(error, step)
  }
}

/** In one round trip, or in several where the server has no such blocks. */
async function configure(client: Client, settings: readonly string[]): Promise<void> {
  try {
    await client.query([...settings, ...optionalBlocks].join(';'))
  } catch (error) {
    if (!withoutBlocks.has((error as { readonly code?: string }).code)) throw error
    await client.query(settings.join(';'))
    for (const [name, value] of optionalSettings)
      await client.query(`set ${name} to ${value}`).catch(() => {})
  }
}

/** It has no blocks, does not know how they are written, or has no language for them. */
const withoutBlocks: ReadonlySet<string | undefined> = new Set(['0A000', '42601', '42704'])

/** Servers before PostgreSQL 14, and poolers, do not report `in_hot_standby` to clients. */
const serverQuery = 'select pg_backend_pid() as pid, pg_is_in_recovery() as "isStandby"'

/** A setting that the server reports when it changes, as `pg` passes it on. */
interface ReportedSetting {
  readonly parameterName: string
  readonly parameterValue: string
}

function watchRole({ connection }: Client, onDemoted: () => void): void {
  connection.on('parameterStatus', ({ parameterName, parameterValue }: ReportedSetting) => {
    if (parameterName === 'in_hot_standby' && parameterValue === 'on') onDemoted()
  })
}

function standbyAt({ host, port }: Client): ReadOnlyServer {
  return new ReadOnlyServer(`PostgreSQL at '${host}:${port}' is a standby.`)
}

function loadDriver(): Promise<typeof import('pg')> {
  return import('pg').catch((cause) => {
    throw new Error("PostgreSQL needs the package 'pg'. Run 'npm install pg'.", { cause })
  })
}
