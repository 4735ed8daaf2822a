import type { RelationalLayout } from '../relational-layout.ts'
import { findColumn, type TableSchema } from '../schema/database-schema.ts'
import type { PlanContext } from './column-definition.ts'
import type { SchemaStep } from './schema-step.ts'

/**
 * Makes columns require a value, once all rows have one: from then on no process of an older
 * version adds rows without it.
 */
export function requiredSteps(
  { engine, defaults }: PlanContext,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!existing) return []
  const { table, columns } = layout
  return columns.flatMap(({ field, name, isRequired }): readonly SchemaStep[] => {
    const column = findColumn(existing, name)
    // A new column with a default requires a value from its beginning.
    const isNullable = column ? column.isNullable : (defaults.get(field) ?? null) === null
    if (!isRequired || !isNullable) return []
    const summary = `Require a value in the column '${name}' of '${table.name}'.`
    const sql = engine.requireValue(table, name)
    const common = { summary, sql, endsOldProcesses: true } as const
    // A constraint is checked against all rows, and a trigger only against those to come.
    return engine.constraints === 'separate'
      ? [{ kind: 'online', table, onlineSql: sql, requires: undefined, ...common }]
      : [{ kind: 'instant', ...common }]
  })
}
