import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { pgBouncerPath } from './binaries.ts'
import { newServerFolder } from './cluster.ts'
import type { PostgresServer } from './postgres-server.ts'
import { giveToUser, runProgram } from './run-program.ts'
import { isRunning, send } from './stop-servers.mjs'

export interface PgBouncer {
  url(database: string): string
  stop(): Promise<void>
}

/**
 * A PgBouncer in transaction mode before a server: each transaction of a client may run on another
 * connection. It listens on a Unix socket.
 *
 * @param serverConnections how many connections to a database it opens
 */
export async function startPgBouncer(
  server: PostgresServer,
  serverConnections = 2,
): Promise<PgBouncer> {
  const folder = await newServerFolder()
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    await giveToUser(join(folder, name))
    return join(folder, name)
  }
  const users = await write('users.txt', '"postgres" ""\n')
  const configuration = await write(
    'pgbouncer.ini',
    `[databases]
* = host=${server.folder}
[pgbouncer]
listen_addr =
listen_port = 6432
unix_socket_dir = ${folder}
pidfile = ${folder}/pgbouncer.pid
logfile = ${folder}/log
auth_type = trust
auth_file = ${users}
pool_mode = transaction
default_pool_size = ${serverConnections}
max_client_conn = 200
server_round_robin = 1
`,
  )
  await runProgram(pgBouncerPath!, ['-d', '-q', configuration])
  const idFile = join(folder, 'pgbouncer.pid')
  // It goes to the background before it listens.
  while (!existsSync(join(folder, '.s.PGSQL.6432')) || !existsSync(idFile)) await wait(5)
  const pid = Number.parseInt(readFileSync(idFile, 'utf8'), 10)
  return {
    url: (database) => `postgres://postgres@localhost:6432/${database}?host=${folder}`,
    async stop() {
      send(pid, 'SIGKILL')
      while (isRunning(pid)) await wait(5)
    },
  }
}
