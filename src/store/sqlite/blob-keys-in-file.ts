import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { pluralsInFile } from './file-fingerprints.ts'
import { layoutFault } from './file-layout.ts'
import { openExistingFile } from './open-database-file.ts'

/**
 * The keys of all blobs that items in a file name, of either layout. It needs no models, and the
 * file stays as it is: a store that opens it would migrate it.
 */
export function blobKeysInFile(file: string): Promise<readonly string[]> {
  return openExistingFile(file, (connection) => {
    const keys = new Set<string>()
    for (const query of queriesOf(connection, file))
      for (const [key] of connection.prepare(query).all([])) keys.add(String(key))
    return [...keys]
  })
}

function queriesOf(connection: Connection, file: string): readonly string[] {
  if (layoutFault(connection, 'documents', file) !== undefined)
    return pluralsInFile(connection).map(
      (plural) =>
        `select j.value from ${quoteIdentifier(sqliteDialect.identifier(plural))} r, json_each(r."hidden", '$."/"') j where r."hidden" is not null`,
    )
  return ordinaryColumns(connection).map(([table, column]) => {
    const value = `r.${quoteIdentifier(column)}`
    return `select j.value from ${quoteIdentifier(table)} r, json_tree(case when ${value} like '%"blobKey"%' and json_valid(${value}) then ${value} end) j where j.key = 'blobKey' and j.type = 'text'`
  })
}

/** Those of tables that have items. The log of changes has items that were deleted, too. */
function ordinaryColumns(connection: Connection): readonly (readonly [string, string])[] {
  const rows = connection
    .prepare(
      `select t.name, c.name from pragma_table_list t, pragma_table_info(t.name) c
      where t.schema = 'main' and t.type = 'table'
        and t.name not like 'sqlite\\_%' escape '\\' and t.name not like 'resourcery\\_%' escape '\\'`,
    )
    .all([])
  return rows.map(([table, column]) => [String(table), String(column)])
}
