import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { TableName } from '../../model/storage.ts'
import { defaultValueOf } from '../../stored-item/migrate-item.ts'
import type { PlanStep } from '../store-plan.ts'
import type { Engine } from './engine.ts'
import type { TableOrigin } from './item-table.ts'
import { abandonedTableSteps } from './plan/abandoned-steps.ts'
import { compareTables } from './plan/compare-tables.ts'
import { planSteps } from './plan/lacking-rows.ts'
import { planTables, type TablesPlan } from './plan/plan-tables.ts'
import { formerTablesOf } from './plan/rename-steps.ts'
import { type SchemaStep, startStatements } from './plan/schema-step.ts'
import { type ColumnField, type RelationalLayout, tablesOf } from './relational-layout.ts'
import { type DatabaseSchema, findColumn, findTable } from './schema/database-schema.ts'
import {
  createSettingsSql,
  isOwnTable,
  newVersionSecret,
  noteTables,
  ownTables,
  quotedNames,
  readSettings,
  type Settings,
  settingsTable,
  storedVersionSecret,
  versionSecretIn,
} from './settings-table.ts'
import type { SqlSession } from './sql-database.ts'

export interface OpenOptions {
  /**
   * May the store change tables? Undefined to change them unless one of them was made by another
   * program.
   */
  readonly manages: boolean | undefined
  /** Behind the versions of items; undefined to keep one in a database that the store manages. */
  readonly versionSecret: string | undefined
  readonly addsForeignKeys: boolean
  layoutOf(model: ModelDescription): RelationalLayout
}

export interface OpenedTables extends TableOrigin {
  readonly secret: string
}

/**
 * Brings the tables into the form of the models, or compares them with the models if another
 * program made them. Call it in a transaction.
 *
 * @throws RegistrationError with every reason why tables and models do not fit
 */
export async function openTables(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
): Promise<OpenedTables> {
  const before = await readDatabase(engine, session, layouts)
  const management = managementOf(engine, layouts, before, options)
  if (management.kind === 'unmanaged') {
    refuse(unmanagedFaults(engine, layouts, before), management)
    return {
      schema: before.schema,
      secret: options.versionSecret ?? storedVersionSecret(before.settings) ?? newVersionSecret(),
      isManaged: false,
      isOwn: ownershipIn(engine, before),
    }
  }
  await session.run([{ sql: engine.lockSchema, parameters: [] }])
  const locked = await readDatabase(engine, session, layouts)
  const { steps, renames } = await planOf(engine, layouts, locked, options)
  refuse(
    steps.flatMap((step) => (step.kind === 'refused' ? [step.summary] : [])),
    management,
  )
  const statements = startStatements(steps)
  if (statements.length > 0) await session.run(statements.map((sql) => ({ sql, parameters: [] })))
  await noteTables(engine, session, tablesOf(layouts), renames.tables)
  const { schema } = await readDatabase(engine, session, layouts)
  const secret = options.versionSecret ?? (await versionSecretIn(engine, session, schema))
  return { schema, secret, isManaged: true, isOwn: () => true }
}

/** What `openTables` would do, or why it would refuse. */
export async function planOpening(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
): Promise<readonly PlanStep[]> {
  const database = await readDatabase(engine, session, layouts)
  if (managementOf(engine, layouts, database, options).kind === 'unmanaged')
    return unmanagedFaults(engine, layouts, database).map((summary) => ({
      kind: 'refused',
      summary,
    }))
  const { steps, renames } = await planOf(engine, layouts, database, options)
  const known = new Set(
    [...tablesOf(layouts), settingsTable].flatMap((table) =>
      quotedNames(engine, database.schema, table),
    ),
  )
  const former = new Set(formerTablesOf(layouts, engine.maxNameBytes).map(engine.quoteTable))
  const abandoned = [...ownTables(database.settings)].filter(
    (table) => !known.has(table) && !former.has(table),
  )
  return planSteps(engine, session, [...steps, ...abandonedTableSteps(abandoned)], renames)
}

interface Database {
  readonly schema: DatabaseSchema
  readonly settings: Settings
}

async function readDatabase(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
): Promise<Database> {
  const former = formerTablesOf(layouts, engine.maxNameBytes)
  const names = [settingsTable, ...tablesOf(layouts), ...former]
  const schema = await engine.readSchema(session, { kind: 'tables', names })
  return { schema, settings: await readSettings(engine, session, schema) }
}

type Management =
  | { readonly kind: 'managed' }
  /** `because` is a table that another program made; undefined if the option says so. */
  | { readonly kind: 'unmanaged'; readonly because: TableName | undefined }

function managementOf(
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

/** The tables of models that exist, and that the store did not make. */
function tablesOfOthers(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
): readonly TableName[] {
  const isOwn = ownershipIn(engine, database)
  return tablesOf(layouts).filter((table) => findTable(database.schema, table) && !isOwn(table))
}

function ownershipIn(
  engine: Engine,
  { schema, settings }: Database,
): (table: TableName) => boolean {
  return (table) => isOwnTable(engine, settings, schema, table)
}

async function planOf(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
  { layoutOf, addsForeignKeys }: OpenOptions,
): Promise<TablesPlan> {
  const { schema } = database
  const defaults = await defaultsOf(layouts, schema)
  const isOwn = ownershipIn(engine, database)
  const plan = planTables({ engine, layoutOf, addsForeignKeys, defaults, isOwn }, layouts, schema)
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
  return { ...plan, steps: [...first, ...refused, ...plan.steps] }
}

/** The defaults of fields without a column in a table that exists. */
async function defaultsOf(
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): Promise<ReadonlyMap<ColumnField, unknown>> {
  const defaults = new Map<ColumnField, unknown>()
  for (const { table, columns } of layouts) {
    const existing = findTable(schema, table)
    for (const { field, name } of columns)
      if (field.kind === 'value' && !(existing && findColumn(existing, name)))
        defaults.set(field, await defaultValueOf(field.schema))
  }
  return defaults
}

function unmanagedFaults(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  { schema }: Database,
): readonly string[] {
  return layouts.flatMap((layout) => compareTables(engine, layout, schema))
}

function refuse(faults: readonly string[], management: Management): void {
  if (faults.length === 0) return
  const because =
    management.kind === 'unmanaged' && management.because
      ? ` The store changes no table, because another program made the table '${management.because.name}'.`
      : ''
  throw new RegistrationError(faults.join('\n') + because)
}
