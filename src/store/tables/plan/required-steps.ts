import type { ColumnField, RelationalLayout } from '../relational-layout.ts'
import { type ColumnSchema, findColumn, type TableSchema } from '../schema/database-schema.ts'
import type { PlanContext } from './column-definition.ts'
import type { SchemaStep } from './schema-step.ts'
import { hasDefault } from './table-steps.ts'

/**
 * Makes columns require a value, once all rows have one: from then on no process of an older
 * version adds rows without it.
 */
export function requiredSteps(
  context: PlanContext,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!existing) return []
  const { engine, defaults } = context
  const { table, columns } = layout
  return columns.flatMap(({ field, name, isRequired }): readonly SchemaStep[] => {
    const column = findColumn(existing, name)
    // A new column with a default requires a value from its beginning.
    const isNullable = column ? column.isNullable : (defaults.get(field) ?? null) === null
    if (!isRequired || !isNullable) return []
    const summary = `Require a value in the column '${name}' of '${table.name}'.`
    const { sql, onlineSql } = engine.requireValue(table, name)
    const common = {
      summary,
      sql,
      followsFilling: true,
      ...(!isLeftToDatabase(context, layout, field, column) && { endsOldProcesses: true as const }),
    } as const
    // A constraint is checked against all rows, and a trigger only against those to come.
    return engine.constraints === 'separate'
      ? [
          {
            kind: 'online',
            table,
            onlineSql,
            requires: undefined,
            rowsPerSecond: checkedPerSecond,
            ...common,
          },
        ]
      : [{ kind: 'instant', ...common }]
  })
}

/** As measured for a million rows of 400 bytes, which took 0.2 s. */
const checkedPerSecond = 5_000_000

/** Do processes of the old version leave the column out, and does the database have a default? */
function isLeftToDatabase(
  { engine, defaults, wasDeclared }: PlanContext,
  layout: RelationalLayout,
  field: ColumnField,
  column: ColumnSchema | undefined,
): boolean {
  if (!column || wasDeclared(layout, field)) return false
  // The start gives the column the default of the field, where the engine can.
  const getsDefault = engine.constraints === 'separate' && (defaults.get(field) ?? null) !== null
  return column.default !== undefined || (hasDefault(field) && getsDefault)
}
