import type { TableName } from '../../model/storage.ts'
import type { Engine } from './engine.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'

/** Whose rows are locks, on servers that have no other. */
export const lockTable: TableName = { schema: undefined, name: 'resourcery_locks' }

/** The same in a database whose tables the store does not change, with the SQL for a person. */
export function unmanagedLockFaults(
  engine: Engine,
  schema: DatabaseSchema,
): readonly Extract<SchemaStep, { kind: 'refused' }>[] {
  return lockTableSteps(engine, schema).flatMap((step) => {
    if (step.kind !== 'instant') return []
    const summary = `The table '${lockTable.name}', which transactions lock, does not exist. Create it: ${step.sql.join('; ')};`
    return [{ kind: 'refused', summary }]
  })
}

/** Creates the table where the database needs and lacks it. */
export function lockTableSteps(
  { createLockTable }: Engine,
  schema: DatabaseSchema,
): readonly SchemaStep[] {
  if (createLockTable.length === 0 || findTable(schema, lockTable)) return []
  const summary = `Create the table '${lockTable.name}', which transactions lock.`
  return [{ kind: 'instant', summary, sql: createLockTable }]
}
