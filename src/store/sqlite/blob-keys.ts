import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { pluralsInFile } from './file-fingerprints.ts'

/** How many rows one statement looks at. */
const rangeSize = 1000

/**
 * The blob keys of a collection. They are among the hidden members, which reads of items leave out
 * where the model has none; members of former models may be there nevertheless.
 */
export async function* readBlobKeys(
  connection: Connection,
  plural: string,
): AsyncGenerator<readonly string[]> {
  const table = quoteIdentifier(sqliteDialect.identifier(plural))
  const statement = connection.prepare(
    `select id, hidden from ${table} where id > ? order by id limit ${rangeSize}`,
  )
  for (let after: unknown = ''; ; ) {
    const rows = statement.all([after as string]) as [id: string, hidden: string | null][]
    const keys = rows.flatMap(([, hiddenText]) => Object.values(blobKeysOf({ hiddenText })))
    if (keys.length > 0) yield keys
    if (rows.length < rangeSize) return
    after = rows.at(-1)![0]
    await yieldToEventLoop()
  }
}

/** The blob keys of the collections that the file has, and no model. */
export async function* readUndeclaredBlobKeys(
  connection: Connection,
  models: readonly ModelDescription[],
): AsyncGenerator<readonly string[]> {
  const declared = new Set(models.map(({ plural }) => plural))
  for (const plural of pluralsInFile(connection))
    if (!declared.has(plural)) yield* readBlobKeys(connection, plural)
}
