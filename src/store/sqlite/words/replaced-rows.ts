import type { Connection } from '../connection.ts'
import type { WordsIndex } from './words-index.ts'

/**
 * Can `insert or replace` remove another row than the one with its id, for a unique value? SQLite
 * runs no triggers for it, unless a program asks for that (`recursive_triggers`).
 */
export function mayReplaceRows(connection: Connection, { table }: WordsIndex): boolean {
  return connection
    .prepare(`select 1 from pragma_index_list(?) where "unique" = 1 and origin <> 'pk'`)
    .all([table])
    .some(() => true)
}
