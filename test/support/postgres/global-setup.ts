import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { missingPrograms } from './binaries.ts'
import { copyPackagedPostgres, isPackaged } from './packaged-postgres.ts'
import { stopServers } from './stop-servers.mjs'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where the servers of this run are. The first test that needs one starts it. */
    readonly postgresRun: { readonly folder: string; readonly pid: number }
  }
}

let folder: string

export function setup(project: TestProject): void {
  // Names of sockets have at most 107 bytes, so that the name is short. The first test that needs
  // the folder creates it: most runs leave none behind when they are killed.
  folder = join(tmpdir(), `pg-${randomBytes(4).toString('hex')}`)
  if (missingPrograms.length > 0 && process.env.REQUIRE_POSTGRES === '1')
    throw new Error(`Not found: ${missingPrograms.join(', ')}. REQUIRE_POSTGRES requires them.`)
  if (isPackaged()) process.env.POSTGRES_FOLDER = copyPackagedPostgres(folder)
  project.provide('postgresRun', { folder, pid: process.pid })
}

export async function teardown(): Promise<void> {
  const skipped = join(folder, 'skipped')
  if (existsSync(skipped)) {
    const suites = readFileSync(skipped, 'utf8').trimEnd().split('\n')
    console.error(
      `\nWARNING: skipped, because programs were not found:${suites.map((suite) => `\n- ${suite}`).join('')}\n` +
        (isPackaged()
          ? 'The package of PostgreSQL does not have all of them.\n'
          : "Install them, for example with 'apt-get install postgresql pgbouncer'.\n"),
    )
  }
  await stopServers(folder)
}
