import type { TableName } from '../../model/storage.ts'
import { variantModel } from '../blobs/variant-table.ts'
import { isInternalModel } from '../internal-model.ts'
import type { PlanStep } from '../store-plan.ts'
import type { Engine } from './engine.ts'
import { unmanagedLockFaults } from './lock-table.ts'
import type { OpenOptions } from './open-options.ts'
import { compareTables } from './plan/compare-tables.ts'
import { newTableSql } from './plan/table-steps.ts'
import type { Database } from './read-database.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { findTable } from './schema/database-schema.ts'
import { unmanagedLogFaults } from './unmanaged-log.ts'

type RefusedStep = Extract<PlanStep, { kind: 'refused' }>

/** Why the tables do not fit, after the reason why the store does not change them. */
export function unmanagedFaults(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  { schema }: Database,
  because: TableName | undefined,
  options: OpenOptions,
): readonly RefusedStep[] {
  const texts = layouts.flatMap((layout) =>
    isInternalModel(layout.model) && !findTable(schema, layout.table)
      ? [missingInternalTable(engine, layout, options)]
      : compareTables(engine, layout, schema),
  )
  const faults = [
    ...(options.keepsChanges && engine.refusals.logsChanges
      ? [refused(engine.refusals.logsChanges)]
      : []),
    ...unmanagedLockFaults(engine, schema),
    ...texts.map(refused),
    // Triggers can be compared once the tables fit.
    ...(texts.length > 0 ? [] : unmanagedLogFaults(engine, layouts, schema, options)),
  ]
  if (faults.length === 0 || !because) return faults
  return [
    refused(
      `The store changes no table, because another program made the table '${because.name}'.`,
    ),
    ...faults,
  ]
}

function refused(summary: string): RefusedStep {
  return { kind: 'refused', summary }
}

function missingInternalTable(
  engine: Engine,
  layout: RelationalLayout,
  options: OpenOptions,
): string {
  const context = {
    ...options,
    engine,
    schema: { tables: [] },
    defaults: new Map(),
    backfills: new Set<never>(),
    madeAgain: new Set<never>(),
    isOwn: () => false,
    wasDeclared: () => true,
  }
  const use =
    layout.model === variantModel
      ? 'which lists the variants of images'
      : 'in which the service keeps its own data'
  return `The table '${layout.table.name}', ${use}, does not exist. Create it: ${newTableSql(context, layout).join('; ')};`
}
