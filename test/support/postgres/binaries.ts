import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isPackaged } from './packaged-postgres.ts'

const debianFolder = '/usr/lib/postgresql'

/**
 * The folder with `initdb` and `postgres`; undefined if this machine has none. The setup of the run
 * names that of the package.
 */
export const postgresFolder: string | undefined =
  process.env.POSTGRES_FOLDER ??
  [...versionFolders(), ...pathFolders()].find((folder) =>
    ['initdb', 'pg_basebackup', 'pg_ctl', 'postgres'].every((name) => isProgram(folder, name)),
  )

/** The path of PgBouncer; undefined if this machine has none. */
export const pgBouncerPath: string | undefined = [...pathFolders(), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find((path) => existsSync(path))

/** What the tests against PostgreSQL need and this machine does not have. */
export const missingPrograms: readonly string[] = [
  ...(postgresFolder === undefined && !isPackaged() ? ['PostgreSQL (initdb, postgres)'] : []),
  ...(pgBouncerPath === undefined ? ['PgBouncer'] : []),
]

/** The newest version first. Debian puts the programs of the server outside of PATH. */
function versionFolders(): readonly string[] {
  if (!existsSync(debianFolder)) return []
  return readdirSync(debianFolder)
    .sort((version, other) => Number(other) - Number(version))
    .map((version) => join(debianFolder, version, 'bin'))
}

function pathFolders(): readonly string[] {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
}

function isProgram(folder: string, name: string): boolean {
  try {
    accessSync(join(folder, name), constants.X_OK)
    return true
  } catch {
    return false
  }
}
