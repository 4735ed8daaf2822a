import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { postgresFolder } from './binaries.ts'
import { createCluster, newServerFolder } from './cluster.ts'
import { runProgram } from './run-program.ts'
import { statementsIn } from './statement-log.ts'
import { isRunning, processesBelow, send } from './stop-servers.mjs'

export interface TestDatabase {
  readonly url: string
  readonly name: string
  /** Deletes it, with the connections to it. */
  drop(): Promise<void>
  /** Every statement that was sent to it since it was created, in their order. */
  statements(): Promise<readonly string[]>
}

export interface DatabaseOptions {
  readonly template?: string
  /** Further options of `create database`. Default: none. */
  readonly options?: string
  /** Default: false, because the log of a whole run is too long to read. */
  readonly logsStatements?: boolean
}

/** A PostgreSQL server that listens on a Unix socket in its folder, which its port names. */
export class PostgresServer {
  readonly folder: string
  readonly port: number

  constructor(folder: string, port = 5432) {
    this.folder = folder
    this.port = port
  }

  /** A new server of the test's own, which may be killed. The end of the run stops it. */
  static async start(): Promise<PostgresServer> {
    const folder = await newServerFolder()
    await createCluster(folder)
    const server = new PostgresServer(folder)
    await server.start()
    return server
  }

  url(database = 'postgres'): string {
    return `postgres://postgres@localhost:${this.port}/${database}?host=${this.folder}`
  }

  /** A new, empty database, or a copy of another that nobody is connected to. */
  async newDatabase({
    template = 'template0',
    options = '',
    logsStatements = false,
  }: DatabaseOptions = {}): Promise<TestDatabase> {
    const name = `test_${process.pid}_${++databaseCount}`
    await this.run(`create database ${name} template ${template} ${options}`)
    if (logsStatements) await this.run(`alter database ${name} set log_statement = 'all'`)
    return {
      name,
      url: this.url(name),
      drop: async () => void (await this.run(`drop database ${name} with (force)`)),
      statements: async () => statementsIn(await readFile(join(this.folder, 'log'), 'utf8'), name),
    }
  }

  /** Runs a statement on a connection of its own. Values are those that `pg` makes. */
  async run(
    sql: string,
    parameters: readonly unknown[] = [],
    database?: string,
  ): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const client = new pg.Client({ connectionString: this.url(database) })
    await client.connect()
    try {
      return (await client.query(sql, [...parameters])).rows
    } finally {
      await client.end()
    }
  }

  async start(): Promise<void> {
    const options = `-k ${this.folder} -p ${this.port}`
    await this.#control('start', '-w', '-l', join(this.folder, 'log'), '-o', options)
  }

  /** `fast` ends connections with a message, `smart` waits until their clients close them. */
  async stop(mode: 'fast' | 'smart' = 'fast'): Promise<void> {
    await this.#control('stop', '-w', '-m', mode)
  }

  async restart(): Promise<void> {
    await this.stop()
    await this.start()
  }

  /** Ends all its processes without any message to clients, as a power cut does. */
  async kill(): Promise<void> {
    const pid = this.#processId()
    const processes = [pid, ...processesBelow(pid)]
    for (const id of processes) send(id, 'SIGKILL')
    while (processes.some(isRunning)) await wait(5)
  }

  /** Stops all its processes; connections stay open, and nothing is answered. */
  pause(): void {
    const pid = this.#processId()
    for (const id of [pid, ...processesBelow(pid)]) send(id, 'SIGSTOP')
  }

  resume(): void {
    const pid = this.#processId()
    for (const id of [...processesBelow(pid), pid]) send(id, 'SIGCONT')
  }

  get isRunning(): boolean {
    return existsSync(this.#idFile()) && isRunning(this.#processId())
  }

  #idFile(): string {
    return join(this.folder, 'data/postmaster.pid')
  }

  #processId(): number {
    return Number.parseInt(readFileSync(this.#idFile(), 'utf8'), 10)
  }

  async #control(...parameters: readonly string[]): Promise<void> {
    const data = join(this.folder, 'data')
    // The server must not inherit the pipes of pg_ctl: they would stay open.
    const options = ['-D', data, '-s', ...parameters]
    const command = `exec "$0" "$@" </dev/null >"${this.folder}/pg_ctl" 2>&1`
    await runProgram('sh', ['-c', command, join(postgresFolder!, 'pg_ctl'), ...options]).catch(
      (cause) => {
        const text = readFileSync(join(this.folder, 'log'), 'utf8').slice(-2_000)
        throw new Error(`pg_ctl ${parameters[0]} failed. The log of the server: ${text}`, { cause })
      },
    )
  }
}

let databaseCount = 0
