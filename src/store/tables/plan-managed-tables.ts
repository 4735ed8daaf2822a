import { defaultValueOf } from '../../stored-item/migrate-item.ts'
import { plannedBackfills } from './backfill-notes.ts'
import type { Engine } from './engine.ts'
import type { OpenOptions } from './open-options.ts'
import { planTables, type TablesPlan } from './plan/plan-tables.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { type Database, ownershipIn, tablesOfOthers } from './read-database.ts'
import type { ColumnField, RelationalLayout } from './relational-layout.ts'
import { requestTableSteps } from './request-record-table.ts'
import { type DatabaseSchema, findColumn, findTable } from './schema/database-schema.ts'
import { createSettingsSql, settingsTable } from './settings-table.ts'
import { isNoted } from './table-notes.ts'

/** What a start does to tables that the store made, or why it refuses. */
export async function planManagedTables(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
  { layoutOf, addsForeignKeys, keepsRequests }: OpenOptions,
): Promise<TablesPlan> {
  const { schema } = database
  const backfills = new Set<ColumnField>(plannedBackfills(engine, layouts, database.settings))
  const defaults = await defaultsOf(layouts, schema, backfills)
  const isOwn = ownershipIn(engine, database)
  const context = { engine, layoutOf, addsForeignKeys, defaults, backfills, isOwn }
  const plan = planTables(context, layouts, schema)
  const first: readonly SchemaStep[] = findTable(schema, settingsTable)
    ? []
    : [
        {
          kind: 'instant',
          summary: `Create the table '${settingsTable.name}', in which the store notes the tables that it makes.`,
          sql: [createSettingsSql(engine)],
        },
      ]
  const refused = tablesOfOthers(engine, layouts, database).map(
    ({ name }): SchemaStep => ({
      kind: 'refused',
      summary: `The table '${name}' exists, and this store did not make it. The store changes only tables that it made. Give the model another with { table: '…' }, or let the store change no table with { manage: false }.`,
    }),
  )
  const steps = plan.steps.filter((step) => !isSatisfied(engine, database, step))
  const requests = keepsRequests ? requestTableSteps(engine, schema) : []
  return { ...plan, steps: [...first, ...requests, ...refused, ...steps] }
}

/** Did an earlier start find that all rows have the value? To look each time would take long. */
function isSatisfied(engine: Engine, { settings }: Database, step: SchemaStep): boolean {
  return (
    step.kind === 'requires' &&
    step.lacking.exists &&
    isNoted(engine, settings, step.lacking.layout)
  )
}

/** The defaults of fields without a column in a table that exists, and without a backfill. */
async function defaultsOf(
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
  backfills: ReadonlySet<ColumnField>,
): Promise<ReadonlyMap<ColumnField, unknown>> {
  const defaults = new Map<ColumnField, unknown>()
  for (const { table, columns } of layouts) {
    const existing = findTable(schema, table)
    for (const { field, name } of columns)
      if (
        field.kind === 'value' &&
        !backfills.has(field) &&
        !(existing && findColumn(existing, name))
      )
        defaults.set(field, await defaultValueOf(field.schema))
  }
  return defaults
}
