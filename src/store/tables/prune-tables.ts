import { RegistrationError } from '../../model/registration-error.ts'
import type { TableName } from '../../model/storage.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { PruneOptions, UndeclaredData } from '../undeclared-data.ts'
import { forgetBackfill } from './backfill-notes.ts'
import type { Engine } from './engine.ts'
import { addedColumns, endFilling } from './filling-note.ts'
import type { OpenOptions } from './open-options.ts'
import { abandonedTables, managementOf } from './open-tables.ts'
import { abandonedColumns } from './plan/abandoned-steps.ts'
import { startStatements } from './plan/schema-step.ts'
import { planManagedTables } from './plan-managed-tables.ts'
import { type Database, readDatabase } from './read-database.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { findTable } from './schema/database-schema.ts'
import { forgetQuotedTableSql } from './settings-table.ts'
import type { SqlSession } from './sql-database.ts'
import { isNotedModel } from './table-notes.ts'

interface PruneStep {
  readonly data: UndeclaredData
  readonly sql: readonly string[]
}

/**
 * Finds columns and tables that no model has any more, and drops them on demand.
 *
 * @throws RegistrationError for tables of other programs, and if a start has to change tables first
 */
export async function pruneTables(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: OpenOptions,
  { drops }: PruneOptions,
): Promise<readonly UndeclaredData[]> {
  const database = await readDatabase(engine, session, layouts)
  await refuseUnready(engine, layouts, database, options)
  const steps: PruneStep[] = []
  for (const layout of layouts)
    steps.push(...(await columnSteps(engine, session, layout, database)))
  steps.push(...(await tableSteps(engine, session, layouts, database)))
  const statements = steps.flatMap(({ sql }) => sql.map((text) => ({ sql: text, parameters: [] })))
  const ends = layouts.flatMap((layout) => endAbandonedFilling(engine, layout, database))
  if (drops && statements.length + ends.length > 0) await session.run([...ends, ...statements])
  return steps.map(({ data }) => data)
}

/**
 * A deploy that was given up has left a log of changed ids, and columns that no model has. With
 * these dropped, the next one begins anew.
 */
function endAbandonedFilling(
  engine: Engine,
  layout: RelationalLayout,
  { schema, settings }: Database,
): readonly Statement[] {
  const existing = findTable(schema, layout.table)
  const added = addedColumns(engine, settings, layout.table)
  const isDeclared = layout.columns.some(({ name }) => added?.has(name))
  return existing && added && !isDeclared ? endFilling(engine, layout, existing) : []
}

async function refuseUnready(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  database: Database,
  options: OpenOptions,
): Promise<void> {
  if (managementOf(engine, layouts, database, options).kind === 'unmanaged')
    throw new RegistrationError(
      'The store changes no table, because another program made them. Drop columns and tables with that program.',
    )
  const { steps } = await planManagedTables(engine, layouts, database, options)
  if (startStatements(steps).length > 0 || steps.some(({ kind }) => kind === 'refused'))
    throw new RegistrationError(
      'The next start changes tables. Start the service first, and then prune.',
    )
}

async function columnSteps(
  engine: Engine,
  session: SqlSession,
  layout: RelationalLayout,
  { schema }: Database,
): Promise<readonly PruneStep[]> {
  const existing = findTable(schema, layout.table)
  if (!existing) return []
  const { quote } = engine.dialect
  const table = engine.quoteTable(layout.table)
  const steps: PruneStep[] = []
  const abandoned = abandonedColumns(layout, existing)
  const before =
    abandoned.length === 0 ? [] : ((await engine.beforeDrop?.(session, layout.table)) ?? [])
  for (const { name } of abandoned) {
    const column = quote(name)
    // Not every engine drops the indexes of a column with it.
    const indexes = [...existing.indexes, ...existing.uniqueKeys]
      .filter((index) =>
        'keys' in index
          ? index.keys.some((key) => key.column === name)
          : index.columns.includes(name),
      )
      .map((index) => index.name)
    steps.push({
      data: {
        kind: 'member',
        name,
        owner: layout.table.name,
        itemCount: await countRows(session, `${table} where ${column} is not null`),
      },
      sql: [
        ...(steps.length === 0 ? before : []),
        ...(engine.constraints === 'inTable'
          ? indexes.map((index) => dropIndexSql(engine, existing.schema, index))
          : []),
        `alter table ${table} drop column ${column}`,
        forgetBackfill(engine, layout.table, name),
      ],
    })
  }
  return steps
}

function dropIndexSql({ quoteTable }: Engine, schema: string | undefined, name: string): string {
  return `drop index if exists ${quoteTable({ schema, name } satisfies TableName)}`
}

/** Join tables go first, because they refer to the tables of items. */
async function tableSteps(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  database: Database,
): Promise<readonly PruneStep[]> {
  const joins: PruneStep[] = []
  const models: PruneStep[] = []
  for (const table of abandonedTables(engine, layouts, database)) {
    const name = table.replaceAll('"', '')
    const itemCount = await countRows(session, table)
    const before = (await engine.beforeDrop?.(session, { schema: undefined, name })) ?? []
    const sql = [...before, `drop table ${table}`, forgetQuotedTableSql(engine, table)]
    if (isNotedModel(database.settings, table))
      models.push({ data: { kind: 'model', name, itemCount }, sql })
    else joins.push({ data: { kind: 'member', name, owner: name, itemCount }, sql })
  }
  return [...joins, ...models]
}

async function countRows(session: SqlSession, source: string): Promise<number> {
  const [result] = await session.run([{ sql: `select count(*) from ${source}`, parameters: [] }])
  return Number(result!.rows[0]![0])
}
