import { defaultValueOf } from '../../stored-item/default-value.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { plannedBackfills } from './backfill-notes.ts'
import { changeTableSteps } from './change-log-table.ts'
import type { Engine } from './engine.ts'
import { lockTableSteps } from './lock-table.ts'
import type { OpenOptions } from './open-options.ts'
import { captureFaults, captureSteps } from './plan/capture-steps.ts'
import type { PlanContext } from './plan/column-definition.ts'
import { planTables, type TablesPlan } from './plan/plan-tables.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { type Database, ownershipIn, tablesOfOthers } from './read-database.ts'
import type { ColumnField, RelationalLayout } from './relational-layout.ts'
import { requestTableSteps } from './request-record-table.ts'
import { findTable } from './schema/database-schema.ts'
import { createSettingsSql, settingsTable } from './settings-table.ts'
import { declaredMembers } from './table-notes.ts'

/** What a start does to tables that the store made, or why it refuses. */
export async function planManagedTables(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
  { layoutOf, addsForeignKeys, keepsRequests, keepsChanges }: OpenOptions,
): Promise<TablesPlan> {
  const { schema } = database
  const { backfills, madeAgain } = plannedBackfills(engine, layouts, database)
  const defaults = await defaultsOf(layouts, backfills)
  const isOwn = ownershipIn(engine, database)
  const wasDeclared: PlanContext['wasDeclared'] = (layout, field) => {
    const declared = declaredMembers(engine, database.settings, layout)
    return !declared || storedNames(layout.model, field).some((name) => declared.has(name))
  }
  const context: PlanContext = {
    engine,
    schema,
    layoutOf,
    addsForeignKeys,
    defaults,
    backfills,
    madeAgain,
    isOwn,
    wasDeclared,
  }
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
  const locks = lockTableSteps(engine, schema)
  const requests = keepsRequests ? requestTableSteps(engine, schema) : []
  const changes = keepsChanges ? changeTableSteps(engine, schema) : []
  const captures = keepsChanges
    ? captureSteps(captureFaults(engine, layouts, plan.renames.schema))
    : []
  return {
    ...plan,
    steps: [
      ...refusalsOf(engine, layouts, { addsForeignKeys, keepsChanges }),
      ...first,
      ...locks,
      ...requests,
      ...changes,
      ...refused,
      ...plan.steps,
      ...captures,
    ],
  }
}

/** What the server cannot do of what the models and options need. */
function refusalsOf(
  { refusals }: Engine,
  layouts: readonly RelationalLayout[],
  { addsForeignKeys, keepsChanges }: Pick<OpenOptions, 'addsForeignKeys' | 'keepsChanges'>,
): readonly SchemaStep[] {
  const needsKeys =
    addsForeignKeys &&
    layouts.some(
      ({ columns, joinTables }) =>
        joinTables.length > 0 || columns.some(({ field }) => field.kind === 'toOne'),
    )
  const texts = [
    refusals.changesTables,
    needsKeys ? refusals.addsForeignKeys : undefined,
    keepsChanges ? refusals.logsChanges : undefined,
  ]
  return texts
    .filter((summary) => summary !== undefined)
    .map((summary) => ({ kind: 'refused', summary }))
}

/** The defaults of fields without a backfill. */
async function defaultsOf(
  layouts: readonly RelationalLayout[],
  backfills: ReadonlySet<ColumnField>,
): Promise<ReadonlyMap<ColumnField, unknown>> {
  const defaults = new Map<ColumnField, unknown>()
  for (const { columns } of layouts)
    for (const { field } of columns)
      if (field.kind === 'value' && !backfills.has(field))
        defaults.set(field, await defaultValueOf(field.schema))
  return defaults
}
