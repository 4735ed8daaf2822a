// A PostgreSQL server that may be killed, stopped and restarted, at an address that stays the same.

import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { programFolder } from '../../bench/harness/postgres.mjs'
import { processesBelow, send } from '../../test/support/postgres/stop-servers.mjs'
import { freePorts, runAsUser, startDaemon } from './daemons.mjs'
import { hasEnded } from './has-ended.mjs'

export class PostgresServer {
  #data
  #folder
  #port
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #process

  /** @param {string} folder that of the run */
  static async start(folder) {
    const [port = 0] = await freePorts(1)
    const server = new PostgresServer(folder, port)
    const options = ['--username', 'postgres', '--auth', 'trust', '--encoding', 'UTF8']
    await runAsUser(join(programFolder(), 'initdb'), ['--pgdata', server.#data, ...options])
    server.configure(
      `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = '${folder}'\nshared_buffers = 128MB`,
    )
    await server.start()
    return server
  }

  /**
   * @param {string} folder
   * @param {number} port
   */
  constructor(folder, port) {
    this.#folder = folder
    this.#port = port
    this.#data = join(folder, 'server/data')
  }

  get port() {
    return this.#port
  }

  url(database = 'postgres', port = this.#port) {
    return `postgres://postgres@127.0.0.1:${port}/${database}`
  }

  /** For the next start. @param {string} lines */
  configure(lines) {
    appendFileSync(join(this.#data, 'postgresql.conf'), `${lines}\n`)
  }

  /** @param {string} name */
  async createDatabase(name) {
    await this.query(`create database ${name}`)
    return this.url(name)
  }

  async start() {
    const log = join(this.#folder, 'postgres.log')
    this.#process = startDaemon(join(programFolder(), 'postgres'), ['-D', this.#data], log)
    for (let tries = 0; !(await this.#answers()); tries++) {
      if (tries > 6_000) throw new Error('PostgreSQL does not start within a minute.')
      await wait(10)
    }
  }

  /** Kills the postmaster alone: the other processes end by themselves. */
  async kill() {
    await this.#end('SIGKILL')
  }

  /** As `pg_ctl stop -m fast` does: connections are told, and closed. */
  async stop() {
    await this.#end('SIGINT')
  }

  pause() {
    for (const id of this.#ids()) send(id, 'SIGSTOP')
  }

  resume() {
    for (const id of this.#ids()) send(id, 'SIGCONT')
  }

  /**
   * Runs a statement on a connection of its own.
   *
   * @param {string} sql
   * @param {string} [database]
   * @returns {Promise<Record<string, any>[]>}
   */
  async query(sql, database) {
    const client = new pg.Client({ connectionString: this.url(database) })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end().catch(() => {})
    }
  }

  async #answers() {
    return this.query('select 1').then(
      () => true,
      () => false,
    )
  }

  #ids() {
    const pid = this.#process?.pid ?? 0
    return [pid, ...processesBelow(pid)]
  }

  /** @param {NodeJS.Signals} signal */
  async #end(signal) {
    if (!this.#process) return
    const ids = this.#ids()
    const exit = once(this.#process, 'exit')
    this.#process.kill(signal)
    await exit
    while (!ids.every(hasEnded)) await wait(5)
  }
}
