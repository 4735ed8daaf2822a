import { RegistrationError } from '../../model/registration-error.ts'
import type { TableName } from '../../model/storage.ts'
import { filledByFunction } from '../backfill.ts'
import { isInternalCollection } from '../internal-model.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { PlanStep } from '../store-plan.ts'
import { forgetFormerVersions, noteBackfills } from './backfill-notes.ts'
import type { Engine } from './engine.ts'
import type { ItemTable, TableOrigin } from './item-table.ts'
import type { OpenOptions } from './open-options.ts'
import { refuseToEndOldProcesses } from './pause-needed.ts'
import { abandonedTableSteps } from './plan/abandoned-steps.ts'
import { advisedIndexSteps } from './plan/advised-indexes.ts'
import { tableBefore } from './plan/counted-rows.ts'
import { planSteps } from './plan/described-steps.ts'
import { formerTablesOf } from './plan/former-names.ts'
import { missingRowsFaults } from './plan/missing-rows.ts'
import { refusalsOfRows } from './plan/refused-rows.ts'
import type { Renames } from './plan/rename-steps.ts'
import { type SchemaStep, startStatements } from './plan/schema-step.ts'
import { advisedWordIndexSteps } from './plan/word-index-steps.ts'
import { planManagedTables } from './plan-managed-tables.ts'
import { type Database, ownershipIn, readDatabase, tablesOfOthers } from './read-database.ts'
import { type RelationalLayout, tablesOf } from './relational-layout.ts'
import { findTable } from './schema/database-schema.ts'
import {
  newVersionSecret,
  ownTables,
  quotedNames,
  settingsTable,
  storedVersionSecret,
  writeVersionSecret,
} from './settings-table.ts'
import type { SqlSession } from './sql-database.ts'
import { beginStages, finishStages, isEarly, limitLockWait, planEarly } from './staged-opening.ts'
import { isNoted as isNotedLayout, noteOf, writeNote } from './table-notes.ts'
import { unmanagedFaults } from './unmanaged-faults.ts'
import { uselessTriggerSteps } from './unmanaged-log.ts'

export interface OpenedTables extends TableOrigin {
  readonly secret: string
  /** The tables to fill in before the last stage; undefined if all is done. */
  readonly pending: readonly ItemTable[] | undefined
}

/**
 * Processes of the old version go on after the first stage, and need not after the last one. Most
 * starts do all at once.
 */
export type OpeningStage = 'first' | 'last'

/**
 * Brings the tables into the form of the models, or compares them with the models if another
 * program made them. Call it in a transaction.
 *
 * @throws RegistrationError with every reason why tables and models do not fit; PauseNeeded
 */
export async function openTables(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
  stage: OpeningStage,
): Promise<OpenedTables> {
  if (stage === 'last') await finishStages(engine, session, layouts, options)
  const isLocked = options.manages !== false && (await tryLock(engine, session))
  const before = await readDatabase(engine, session, layouts)
  const management = managementOf(engine, layouts, before, options)
  const isManaged = management.kind === 'managed'
  if (!isManaged) {
    const faults = unmanagedFaults(engine, layouts, before, management.because, options)
    refuse(faults.map(({ summary }) => summary))
  }
  const { schema, settings, pending } = isManaged
    ? await changeTables(engine, session, layouts, options, before, stage, isLocked)
    : { ...before, pending: undefined }
  return {
    schema,
    pending,
    secret: options.versionSecret ?? storedVersionSecret(settings) ?? newVersionSecret(),
    isManaged,
    isOwn: isManaged ? () => true : ownershipIn(engine, before),
  }
}

/** Keeps other processes from changing tables, if none does so now. */
async function tryLock(engine: Engine, session: SqlSession): Promise<boolean> {
  if (engine.tryLockSchema === undefined) return false
  const [locked] = await session.run([{ sql: engine.tryLockSchema, parameters: [] }])
  return locked!.rows.length > 0
}

/**
 * Executes what brings the tables into the form of the models, and returns them as they are then.
 * Most starts have nothing to do, and wait for no other process.
 */
async function changeTables(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
  database: Database,
  stage: OpeningStage,
  isLocked: boolean,
): Promise<Database & Pick<OpenedTables, 'pending'>> {
  const plan = await planManagedTables(engine, layouts, database, options)
  const { steps, renames } = plan
  const needsSecret =
    options.versionSecret === undefined && storedVersionSecret(database.settings) === undefined
  const isAboutRows = steps.some(({ kind }) => kind === 'refused' || kind === 'requires')
  // A note of a version that requires less tells the next start of another to look again.
  const isNoted = layouts.every((layout) => isNotedLayout(engine, database.settings, layout))
  const isDone = startStatements(steps).length === 0 && !isFilled(steps)
  if (!needsSecret && !isAboutRows && isDone && isNoted) return { ...database, pending: undefined }
  // The lock itself may need a table.
  if (engine.refusals.changesTables) refuse([engine.refusals.changesTables])
  if (!isLocked) {
    await session.run(engine.lockSchema.map((sql) => ({ sql, parameters: [] })))
    const now = await readDatabase(engine, session, layouts)
    return changeTables(engine, session, layouts, options, now, stage, true)
  }
  refuse(steps.flatMap((step) => (step.kind === 'refused' ? [step.summary] : [])))
  refuse(await missingRowsFaults(engine, session, steps, renames))
  const early =
    stage === 'first' ? await planEarly(engine, layouts, database, options, plan) : undefined
  if (early && early.layouts !== layouts) {
    refuse(await refusalsOfRows(engine, session, steps, renames))
    await execute(engine, session, early.steps, renames)
    const pending = await beginStages(engine, session, database, early)
    return { ...(await readDatabase(engine, session, early.layouts)), pending }
  }
  const lastSteps = early?.steps ?? steps
  if (options.needsPause) refuseToEndOldProcesses(lastSteps)
  await limitLockWait(engine, session, lastSteps)
  await execute(engine, session, lastSteps, renames)
  await session.run([
    ...notesOf(engine, layouts, database, renames),
    ...layouts.flatMap((layout) => forgetFormerVersions(engine, layout, database.settings)),
    ...newTablesIn(layouts, database, renames).flatMap((layout) =>
      noteBackfills(engine, layout, filledByFunction(layout.model)),
    ),
  ])
  if (needsSecret) await writeVersionSecret(engine, session)
  const pending = early && (await beginStages(engine, session, database, early))
  return { ...(await readDatabase(engine, session, layouts)), pending }
}

function isFilled(steps: readonly SchemaStep[]): boolean {
  return steps.some(({ kind }) => kind === 'backfill')
}

/** Their items have nothing to be filled in. */
function newTablesIn(
  layouts: readonly RelationalLayout[],
  { schema }: Database,
  renames: Renames,
): readonly RelationalLayout[] {
  return layouts.filter(({ table }) => !findTable(schema, tableBefore(renames, table)))
}

/** Notes the models of the tables as they are now. */
function notesOf(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  { settings }: Database,
  renames: Renames,
): readonly Statement[] {
  return layouts.map((layout) => {
    const former = { table: tableBefore(renames, layout.table) }
    const before = noteOf(engine, settings, layout) ?? noteOf(engine, settings, former)
    return writeNote(engine, layout, before)
  })
}

/** @throws RegistrationError if rows violate what a step requires of them */
async function execute(
  engine: Engine,
  session: SqlSession,
  steps: readonly SchemaStep[],
  renames: Renames,
): Promise<void> {
  const statements = startStatements(steps)
  if (statements.length === 0) return
  try {
    await session.attempt(statements.map((sql) => ({ sql, parameters: [] })))
  } catch (cause) {
    if (!engine.violationOf(cause)) throw cause
    const refusals = [
      ...(await refusalsOfRows(engine, session, steps, renames)),
      ...(await missingRowsFaults(engine, session, steps, renames)),
    ]
    throw refusals.length === 0 ? cause : new RegistrationError(refusals.join('\n'), { cause })
  }
}

/** What `openTables` would do, or why it would refuse. */
export async function planOpening(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
): Promise<readonly PlanStep[]> {
  const database = await readDatabase(engine, session, layouts)
  const management = managementOf(engine, layouts, database, options)
  if (management.kind === 'unmanaged') {
    const { schema } = database
    const faults = unmanagedFaults(engine, layouts, database, management.because, options)
    return faults.length > 0
      ? faults
      : [
          ...advisedIndexSteps(engine, layouts, schema),
          ...advisedWordIndexSteps(engine, layouts, schema),
          ...uselessTriggerSteps(engine, layouts, schema),
        ]
  }
  const words =
    engine.words.kind === 'afterTables' ? await engine.words.steps(session, layouts) : []
  const plan = await planManagedTables(engine, layouts, database, options)
  const { renames } = plan
  const early = await planEarly(engine, layouts, database, options, plan)
  const abandoned = abandonedTableSteps(engine, abandonedTables(engine, layouts, database))
  if (!early || early.layouts === layouts)
    return [...(await planSteps(engine, session, [...plan.steps, ...abandoned], renames)), ...words]
  const noRenames = { ...renames, tables: [], columns: [] }
  const late = plan.steps.filter((step) => renames.steps.includes(step) || !isEarly(step))
  return [
    ...(await planSteps(engine, session, early.steps, noRenames)),
    ...(await planSteps(engine, session, [...late, ...abandoned], renames)),
    ...words,
  ]
}

/** The quoted names of tables that the store made, and that no model has any more. */
export function abandonedTables(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
): readonly string[] {
  const currentTables = new Set(
    [...tablesOf(layouts), settingsTable].flatMap((table) =>
      quotedNames(engine, database.schema, table),
    ),
  )
  const formerTables = new Set(formerTablesOf(layouts, engine.maxNameBytes).map(engine.quoteTable))
  return [...ownTables(database.settings)].filter(
    (table) =>
      !currentTables.has(table) &&
      !formerTables.has(table) &&
      !isInternalCollection(table.replaceAll('"', '')),
  )
}

type Management =
  | { readonly kind: 'managed' }
  /** `because` is a table that another program made; undefined if the option says so. */
  | { readonly kind: 'unmanaged'; readonly because: TableName | undefined }

export function managementOf(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
  { manages }: OpenOptions,
): Management {
  const [because] = tablesOfOthers(engine, layouts, database)
  const isManaged = manages ?? because === undefined
  if (isManaged) return { kind: 'managed' }
  return { kind: 'unmanaged', because: manages === undefined ? because : undefined }
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
}
