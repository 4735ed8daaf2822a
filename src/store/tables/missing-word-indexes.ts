import type { Engine } from './engine.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import { searchIndexOf, wordIndexOf } from './word-index.ts'

/** Warns once of a store whose searches read all items, because it may not create functions. */
export function warnOfMissingWordIndexes(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): void {
  if (!schema.refusesFunctions) return
  const lacking = layouts.filter((layout) => {
    const existing = findTable(schema, layout.table)
    return (
      existing && wordIndexOf(engine, layout, existing) && !searchIndexOf(engine, layout, existing)
    )
  })
  if (lacking.length === 0) return
  const tables = lacking.map(({ table }) => `'${table.name}'`).join(', ')
  process.emitWarning(
    `Searches read all items of ${tables}, because the role of the service may not create the function of an index over their words. \`resourcery plan --sql\` prints the statements that a person runs.`,
    { code: 'RESOURCERY_SEARCH_INDEX' },
  )
}
