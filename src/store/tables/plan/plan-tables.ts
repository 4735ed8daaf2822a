import type { RelationalLayout } from '../relational-layout.ts'
import { type DatabaseSchema, findTable } from '../schema/database-schema.ts'
import { abandonedColumnSteps, abandonedIndexSteps } from './abandoned-steps.ts'
import type { PlanContext } from './column-definition.ts'
import { outdatedIndexSteps } from './index-steps.ts'
import { abandonedRangeSteps } from './range-steps.ts'
import { refusedSteps } from './refused-steps.ts'
import { foreignKeySteps, newJoinTableStep } from './relation-steps.ts'
import { planRenames, type Renames } from './rename-steps.ts'
import { requiredSteps } from './required-steps.ts'
import type { SchemaStep } from './schema-step.ts'
import { newTableStep, tableSteps } from './table-steps.ts'
import { outdatedWordIndexSteps } from './word-index-steps.ts'

export interface TablesPlan {
  readonly steps: readonly SchemaStep[]
  readonly renames: Renames
}

/**
 * What brings the tables of a store into the form of the models: it adds and renames, and drops,
 * narrows and rewrites nothing.
 */
export function planTables(
  context: PlanContext,
  layouts: readonly RelationalLayout[],
  before: DatabaseSchema,
): TablesPlan {
  const renames = planRenames(context, layouts, before)
  const { schema } = renames
  const tables = layouts.flatMap((layout) => {
    const existing = findTable(schema, layout.table)
    return existing ? tableSteps(context, layout, existing) : [newTableStep(context, layout)]
  })
  const relations = layouts.flatMap((layout) => [
    ...layout.joinTables
      .filter(({ table }) => !findTable(schema, table))
      .map((joinTable) => newJoinTableStep(context, layout, joinTable)),
    ...foreignKeySteps(context, layout, findTable(schema, layout.table)),
  ])
  const required = layouts.flatMap((layout) =>
    requiredSteps(context, layout, findTable(schema, layout.table)),
  )
  const abandoned = layouts.flatMap((layout) => {
    const existing = findTable(schema, layout.table)
    return [
      ...abandonedColumnSteps(context.engine, layout, existing),
      ...abandonedIndexSteps(context.engine, layout, existing),
      ...outdatedIndexSteps(context.engine, layout, existing),
      ...abandonedRangeSteps(context.engine, layout, existing),
      ...outdatedWordIndexSteps(context.engine, layout, existing),
    ]
  })
  return {
    steps: [
      ...renames.steps,
      ...refusedSteps(context, layouts, schema),
      ...tables,
      ...relations,
      ...required,
      ...abandoned,
    ],
    renames,
  }
}
