import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, inject } from 'vitest'
import { basebackupPath, pgBouncerPath, postgresFolder, psqlPath } from './binaries.ts'

/** A `describe` for tests that need PostgreSQL. Where there is none, the end of the run says so. */
export function describePostgres(name: string, body: () => void): void {
  describeWith('PostgreSQL', postgresFolder, name, body)
}

/** The same for tests that need PgBouncer too. */
export function describePgBouncer(name: string, body: () => void): void {
  describeWith('PgBouncer', postgresFolder && pgBouncerPath, name, body)
}

/** The same for tests that need psql too. */
export function describePsql(name: string, body: () => void): void {
  describeWith('psql', postgresFolder && psqlPath, name, body)
}

/** The same for tests that need a replica, which a package of PostgreSQL may be unable to make. */
export function describeReplica(name: string, body: () => void): void {
  describeWith('pg_basebackup', basebackupPath, name, body)
}

function describeWith(
  program: string,
  path: string | undefined,
  name: string,
  body: () => void,
): void {
  if (path !== undefined) return void describe(name, body)
  const { folder } = inject('postgresRun')
  mkdirSync(folder, { recursive: true })
  appendFileSync(join(folder, 'skipped'), `${name} (${program})\n`)
  describe.skip(`${name} (skipped: ${program} is not installed)`, body)
}
