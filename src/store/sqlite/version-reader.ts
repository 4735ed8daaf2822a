import type { DocumentQueries } from '../sql/document-queries.ts'
import type { ReadFastPaths } from '../store.ts'
import type { AccessPath } from './access-path.ts'
import type { Connection } from './connection.ts'
import { queryFirstRow } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'

/** Reads only the hash of an item, not its text. */
export function versionReader(
  connection: Connection,
  queries: DocumentQueries<AccessPath>,
): NonNullable<ReadFastPaths['findVersion']> {
  return async (model, condition) => {
    try {
      return (queryFirstRow(connection, queries.version(model, condition))?.[0] ?? undefined) as
        | string
        | undefined
    } catch (error) {
      throw toStoreError(error)
    }
  }
}
