import { filledByFunction } from '../backfill.ts'
import { noteBackfills } from './backfill-notes.ts'
import { finishBackfill } from './backfill-rows.ts'
import type { Engine } from './engine.ts'
import { addedColumns, beginFilling } from './filling-note.ts'
import { type ItemTable, itemTable } from './item-table.ts'
import { versionMaker } from './item-version.ts'
import type { OpenOptions } from './open-options.ts'
import { endsOldProcesses } from './pause-needed.ts'
import type { TablesPlan } from './plan/plan-tables.ts'
import { presentLayouts } from './plan/present-layouts.ts'
import type { SchemaStep } from './plan/schema-step.ts'
import { planManagedTables } from './plan-managed-tables.ts'
import { type Database, ownershipIn, readDatabase } from './read-database.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { findTable } from './schema/database-schema.ts'
import type { SqlSession } from './sql-database.ts'

/** How long the last step waits for those who use its tables; then it tries again. */
const maxLockWaitMs = 300

/** What a start does before its last step, so that processes of the old version go on meanwhile. */
export interface EarlyPlan {
  /** The layouts with the names that processes of the old version know. */
  readonly layouts: readonly RelationalLayout[]
  readonly steps: readonly SchemaStep[]
  /** The names of the columns whose values the start makes for all rows, by layout. */
  readonly filled: ReadonlyMap<RelationalLayout, readonly string[]>
}

/**
 * Undefined if all can be done at once: nothing is filled in, and no index is built before
 * something is renamed.
 */
export async function planEarly(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
  options: OpenOptions,
  { renames, steps }: TablesPlan,
): Promise<EarlyPlan | undefined> {
  const isFilled = steps.some(({ kind }) => kind === 'backfill')
  if (!isFilled && renames.steps.length === 0) return undefined
  const present = presentLayouts(layouts, renames)
  // Where a name is taken, the renames come first, and the rest is filled in after them.
  if (!present)
    return isFilled
      ? earlyPlan(
          layouts,
          steps.filter((step) => renames.steps.includes(step) || !comesLast(step)),
        )
      : undefined
  const presentOf = new Map(layouts.map(({ model }, index) => [model, present[index]!]))
  const layoutOf: OpenOptions['layoutOf'] = (model) =>
    presentOf.get(model) ?? options.layoutOf(model)
  const plan = await planManagedTables(engine, present, database, { ...options, layoutOf })
  const early = plan.steps.filter(isEarly)
  if (!isFilled && !early.some(({ kind }) => kind === 'online')) return undefined
  return earlyPlan(present, early)
}

function comesLast(step: SchemaStep): boolean {
  return endsOldProcesses(step) || ('followsFilling' in step && step.followsFilling === true)
}

function earlyPlan(layouts: readonly RelationalLayout[], steps: readonly SchemaStep[]): EarlyPlan {
  const filled = new Map<RelationalLayout, string[]>()
  for (const step of steps) {
    if (step.kind !== 'backfill') continue
    const layout = layouts.find(({ model }) => model === step.lacking.layout.model)!
    const added = filled.get(layout) ?? []
    if (step.lacking.rows === 'all') added.push(step.lacking.column.name)
    filled.set(layout, added)
  }
  return { layouts, steps, filled }
}

/** Can processes of the old version go on after this step? */
export function isEarly(step: SchemaStep): boolean {
  switch (step.kind) {
    case 'instant':
      return !comesLast(step)
    case 'backfill':
    case 'requires':
      return true
    // No item can violate an index over a column that the old version does not write.
    case 'online':
      return step.requires === undefined && !comesLast(step)
    default:
      return false
  }
}

/** Begins to note what other processes change. Call it after the steps, in their transaction. */
export async function beginStages(
  engine: Engine,
  session: SqlSession,
  before: Database,
  { layouts, filled }: EarlyPlan,
): Promise<readonly ItemTable[]> {
  const { schema, settings } = await readDatabase(engine, session, layouts)
  const origin = { schema, isManaged: true, isOwn: () => true }
  const newLayouts = layouts.filter(({ table }) => !findTable(before.schema, table))
  await session.run([
    ...newLayouts.flatMap((layout) =>
      noteBackfills(engine, layout, filledByFunction(layout.model)),
    ),
    ...[...filled].flatMap(([layout, added]) =>
      beginFilling(engine, settings, layout, findTable(schema, layout.table)!, added),
    ),
  ])
  return [...filled.keys()].map((layout) => itemTable(engine, layout, origin, versionMaker('')))
}

/** Whoever waits for the lock of a rename keeps everybody else waiting, and old workers pause. */
export async function limitLockWait(
  engine: Engine,
  session: SqlSession,
  steps: readonly SchemaStep[],
): Promise<void> {
  const limits = steps.some(endsOldProcesses) ? engine.limitLockWait(maxLockWaitMs) : []
  if (limits.length > 0) await session.run(limits.map((sql) => ({ sql, parameters: [] })))
}

/**
 * Fills in what is left, while nobody else uses the tables. The rest of the start follows in the
 * same transaction.
 */
export async function finishStages(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
): Promise<void> {
  await session.run(engine.lockSchema.map((sql) => ({ sql, parameters: [] })))
  const database = await readDatabase(engine, session, layouts)
  const { renames } = await planManagedTables(engine, layouts, database, options)
  const { schema, settings } = database
  const filled = (presentLayouts(layouts, renames) ?? layouts).filter((layout) =>
    addedColumns(engine, settings, layout.table),
  )
  const locks = [
    ...filled.map(({ table }) => table),
    ...renames.tables.map(({ from }) => from),
  ].flatMap((table) => engine.lockTable(table, maxLockWaitMs))
  await session.run(locks.map((sql) => ({ sql, parameters: [] })))
  const origin = { schema, isManaged: true, isOwn: ownershipIn(engine, database) }
  for (const layout of filled) {
    const table = itemTable(engine, layout, origin, versionMaker(''))
    await finishBackfill(engine, session, table, schema, settings)
  }
}
