import type { Connection } from './connection.ts'

/** A note in the table `_layout` of a file of documents; undefined if there is none. */
export function noteInFile(connection: Connection, key: string): unknown {
  return connection.prepare('select value from "_layout" where key = ?').get([key])?.[0]
}

export function writeNote(connection: Connection, key: string, value: string): void {
  connection
    .prepare('insert or replace into "_layout" (key, value) values (?, ?)')
    .run([key, value])
}

export function removeNote(connection: Connection, key: string): void {
  connection.prepare('delete from "_layout" where key = ?').run([key])
}

/** What follows the prefix in the keys that begin with it, in their order. */
export function noteKeysAfter(connection: Connection, prefix: string): readonly string[] {
  return connection
    .prepare('select key from "_layout" where substr(key, 1, ?) = ? order by key')
    .all([prefix.length, prefix])
    .map(([key]) => String(key).slice(prefix.length))
}
