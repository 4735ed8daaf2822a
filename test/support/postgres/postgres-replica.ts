import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { basebackupPath } from './binaries.ts'
import { newServerFolder } from './cluster.ts'
import { PostgresServer } from './postgres-server.ts'
import { runProgram } from './run-program.ts'

/** A server that streams the changes of a primary and answers reads. */
export class PostgresReplica extends PostgresServer {
  readonly #primary: PostgresServer

  private constructor(folder: string, primary: PostgresServer) {
    super(folder)
    this.#primary = primary
  }

  static async startFrom(primary: PostgresServer): Promise<PostgresReplica> {
    const folder = await newServerFolder()
    const connection = ['--host', primary.folder, '--username', 'postgres']
    const copy = ['--pgdata', join(folder, 'data'), '--checkpoint', 'fast', '--no-sync']
    await runProgram(basebackupPath!, [...connection, ...copy, '--write-recovery-conf'])
    const replica = new PostgresReplica(folder, primary)
    await replica.start()
    return replica
  }

  /** From now on reads of the replica do not see what is committed. */
  async pauseReplay(): Promise<void> {
    await this.run('select pg_wal_replay_pause()')
    await this.#until("select pg_get_wal_replay_pause_state() = 'paused' as reached")
  }

  async resumeReplay(): Promise<void> {
    await this.run('select pg_wal_replay_resume()')
  }

  /** Waits until reads see all that is committed now. */
  async catchUp(): Promise<void> {
    const [row] = await this.#primary.run('select pg_current_wal_lsn()::text as position')
    await this.#until('select pg_last_wal_replay_lsn() >= $1::pg_lsn as reached', [row!.position])
  }

  async #until(sql: string, parameters: readonly unknown[] = []): Promise<void> {
    for (let tries = 0; tries < 1_000; tries++) {
      const [row] = await this.run(sql, parameters)
      if (row!.reached) return
      await wait(10)
    }
    throw new Error(`The replica did not get there: ${sql}`)
  }
}
