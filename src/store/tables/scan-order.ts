import type { ScanOrder } from '../sql/table.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { findColumn, type TableSchema } from './schema/database-schema.ts'

/** The key, if it is one column: the whole numbers of a sequence, or texts that order the rows. */
export function scanOrder(
  { key }: RelationalLayout,
  table: TableSchema,
  quote: (name: string) => string,
): ScanOrder | undefined {
  const [name, ...others] = key
  if (name === undefined || others.length > 0) return undefined
  const column = findColumn(table, name)
  if (column?.generated === 'identityByDefault') return { sql: quote(name), kind: 'number' }
  const isOrdering = table.isInOrderOfTexts && table.primaryKey?.columns[0] === name
  return isOrdering ? { sql: quote(name), kind: 'text' } : undefined
}
