import type { ModelDescription } from '../../model/model-description.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import { blobKeysInRanges } from '../tables/blob-keys.ts'
import { keyColumns } from '../tables/key-columns.ts'
import type { SqlDatabase } from '../tables/sql-database.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { pluralsInFile } from './file-fingerprints.ts'
import { sqliteCodecs } from './tables/codecs.ts'
import { sqliteEngine } from './tables/engine.ts'

/** How many rows one statement looks at. */
const rangeSize = 1000

const key = keyColumns(sqliteEngine, [['id', sqliteCodecs.id]])

/**
 * The blob keys of a collection. They are among the hidden members, which reads of items leave out
 * where the model has none; members of former models may be there nevertheless.
 */
export function readBlobKeys(
  database: Pick<SqlDatabase, 'read'>,
  plural: string,
): AsyncGenerator<readonly string[]> {
  const selection = {
    sql: quoteIdentifier(sqliteDialect.identifier(plural)),
    key,
    columns: [['"hidden"', sqliteCodecs.text]] as const,
    where: 'r."hidden" is not null',
    rangeSize,
  }
  return blobKeysInRanges(sqliteEngine, database, selection, ([hiddenText]) =>
    Object.values(blobKeysOf({ hiddenText: hiddenText as string })),
  )
}

/** The blob keys of the collections that the file has, and no model. */
export async function* readUndeclaredBlobKeys(
  database: Pick<SqlDatabase, 'read'>,
  connection: Connection,
  models: readonly ModelDescription[],
): AsyncGenerator<readonly string[]> {
  const declared = new Set(models.map(({ plural }) => plural))
  for (const plural of pluralsInFile(connection))
    if (!declared.has(plural)) yield* readBlobKeys(database, plural)
}
