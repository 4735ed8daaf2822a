import type { Connection } from './connection.ts'
import { noteInFile, removeNote, writeNote } from './file-notes.ts'

/** What a file notes of a table until the derived values of its items are made again. */
export interface RecomputationNote {
  /** What the fingerprint will say of the fields. */
  readonly entries: readonly string[]
  /** Another one where a start with other functions has written values since. */
  readonly run: string
}

export function noteOfRecomputation(
  connection: Connection,
  table: string,
): RecomputationNote | undefined {
  const note = noteInFile(connection, keyOf(table))
  return note === undefined ? undefined : JSON.parse(String(note))
}

export function noteRecomputation(
  connection: Connection,
  table: string,
  note: RecomputationNote,
): void {
  writeNote(connection, keyOf(table), JSON.stringify(note))
}

export function forgetRecomputation(connection: Connection, table: string): void {
  removeNote(connection, keyOf(table))
}

function keyOf(table: string): string {
  return `recomputing ${table}`
}
