import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isPackaged } from './packaged-postgres.ts'

const debianFolder = '/usr/lib/postgresql'

/**
 * The folder with `initdb` and `postgres`; undefined if this machine has none. The setup of the run
 * names that of the package.
 */
export const postgresFolder: string | undefined =
  process.env.POSTGRES_FOLDER ?? folderOf('initdb', 'pg_ctl', 'postgres')

/** Makes replicas of servers of its own version; undefined if there is none. */
export const basebackupPath: string | undefined =
  postgresFolder !== undefined && isProgram(postgresFolder, 'pg_basebackup')
    ? join(postgresFolder, 'pg_basebackup')
    : undefined

/** The path of psql, which speaks to servers of other versions too; undefined if there is none. */
export const psqlPath: string | undefined = folderOf('psql')?.concat('/psql')

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

function folderOf(...programs: readonly string[]): string | undefined {
  return [...versionFolders(), ...pathFolders()].find((folder) =>
    programs.every((name) => isProgram(folder, name)),
  )
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
