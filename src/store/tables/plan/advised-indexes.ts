import type { PlanStep } from '../../store-plan.ts'
import type { Engine } from '../engine.ts'
import { existingCodec } from '../existing-codec.ts'
import type { RelationalColumn, RelationalLayout } from '../relational-layout.ts'
import { type DatabaseSchema, findTable, hasKeys } from '../schema/database-schema.ts'
import { isIndexedByValue } from '../value-index.ts'
import { valueIndexName } from './index-steps.ts'

/**
 * Indexes that make lists over tables of other programs faster: over date-times that compare in
 * another form than their columns keep. An index of such a column finds a larger range, whose rows
 * the statement compares one by one.
 */
export function advisedIndexSteps(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): readonly PlanStep[] {
  return layouts.flatMap((layout) =>
    layout.indexes.flatMap(({ keys: [key, ...moreKeys], where }) =>
      key && moreKeys.length === 0 && where.length === 0
        ? adviceFor(engine, layout, schema, key.column)
        : [],
    ),
  )
}

function adviceFor(
  engine: Engine,
  { table, key }: RelationalLayout,
  schema: DatabaseSchema,
  { name, type, field }: RelationalColumn,
): readonly PlanStep[] {
  const existing = findTable(schema, table)!
  if (!hasKeys(existing)) return []
  const { quote } = engine.dialect
  const compared = { sql: quote(name), codec: existingCodec(engine, existing, name, type) }
  if (!compared.codec.form.columnRange || isIndexedByValue(existing, compared)) return []
  const terms = [compared.codec.form.value(compared.sql), ...key.map(quote)]
  const index = quote(valueIndexName(engine, `${table.name}_${name}_idx`, [compared]))
  return [
    {
      kind: 'never',
      summary: `Create an index over the date-times of '${name}' of '${table.name}' as they compare. Until then lists that are filtered or sorted by '${field.name}' compute this for a range of the index of the column, or for all items.`,
      sql: [`create index ${index} on ${engine.quoteTable(table)} (${terms.join(', ')})`],
    },
  ]
}
