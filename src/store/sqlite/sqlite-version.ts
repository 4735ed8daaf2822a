import type { Connection } from './connection.ts'

/** The engine with its version, which differs between versions of Node.js: `SQLite 3.53.1`. */
export function sqliteVersion(connection: Connection): string {
  return `SQLite ${connection.prepare('select sqlite_version()').get([])![0]}`
}
