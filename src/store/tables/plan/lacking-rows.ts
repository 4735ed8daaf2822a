import type { PlanStep } from '../../store-plan.ts'
import type { Engine } from '../engine.ts'
import type { SqlSession } from '../sql-database.ts'
import type { Renames } from './rename-steps.ts'
import type { LackingColumn, SchemaStep } from './schema-step.ts'

/** How many ids a step names. */
const maxIds = 5

/** The steps as a person reads them, with the rows that lack a value. */
export async function planSteps(
  engine: Engine,
  session: SqlSession,
  steps: readonly SchemaStep[],
  renames: Renames,
): Promise<readonly PlanStep[]> {
  const described: PlanStep[] = []
  for (const step of steps) {
    if (step.kind === 'online') {
      const { kind, summary, onlineSql: sql } = step
      described.push({ kind, summary, sql })
    } else if (step.kind === 'asks')
      described.push(...(await askingStep(engine, session, step, renames)))
    else described.push(step)
  }
  return described
}

async function askingStep(
  engine: Engine,
  session: SqlSession,
  { summary, sql, lacking }: Extract<SchemaStep, { kind: 'asks' }>,
  renames: Renames,
): Promise<readonly PlanStep[]> {
  const { missing, ids } = await lackingRows(engine, session, lacking, renames)
  if (missing > 0) return [{ kind: 'asks', summary, sql, missing, ids }]
  return sql.length > 0 ? [{ kind: 'instant', summary, sql }] : []
}

async function lackingRows(
  { dialect, quoteTable }: Engine,
  session: SqlSession,
  { layout, column, exists }: LackingColumn,
  { tables, columns }: Renames,
): Promise<{ readonly missing: number; readonly ids: readonly string[] }> {
  const key = dialect.quote(layout.key)
  // Nothing is renamed yet.
  const table = tables.find(({ to }) => to === layout.table)?.from ?? layout.table
  const { from: name } = columns.find(
    (rename) => rename.table === layout.table && rename.to === column.name,
  ) ?? { from: column.name }
  const where = exists ? ` where ${dialect.quote(name)} is null` : ''
  const from = `from ${quoteTable(table)}${where}`
  const [count, first] = await session.run(
    [`select count(*) ${from}`, `select ${key} ${from} order by ${key} limit ${maxIds}`].map(
      (sql) => ({ sql, parameters: [] }),
    ),
  )
  return { missing: Number(count!.rows[0]![0]), ids: first!.rows.map(([id]) => String(id)) }
}
