import type { ColumnType } from '../column-type.ts'
import type { Engine } from '../engine.ts'
import { type DatabaseType, withoutDomains } from '../schema/database-type.ts'

/**
 * Can a column of the store hold whatever a field may have? One that it made for fields of another
 * type, such as numbers, would refuse texts that are valid.
 */
export function holdsAllValues(engine: Engine, type: ColumnType, column: DatabaseType): boolean {
  if (!engine.codecFor(type, column)) return false
  const base = withoutDomains(column)
  const isMadeFor = (other: ColumnType) =>
    base.kind === 'base' && isTypeOf(engine, other, base.name)
  return isMadeFor('text') || isMadeFor(type) || !otherTypes.some(isMadeFor)
}

const otherTypes: readonly ColumnType[] = [
  'date',
  'uuid',
  'instant',
  'decimal',
  'integer',
  'number',
  'boolean',
  'json',
]

/** PostgreSQL has two names for one type. */
function isTypeOf({ codecs }: Engine, type: ColumnType, name: string): boolean {
  const [sql = ''] = codecs[type].sql.split(' collate ')
  return (sql === 'timestamptz' ? 'timestamp with time zone' : sql) === name
}
