import type { ValueField } from '../../../model/model-description.ts'
import { countOf } from '../../../text/message-text.ts'
import { backfillSummary } from '../../backfill.ts'
import type { PlanStep } from '../../store-plan.ts'
import type { Engine } from '../engine.ts'
import type { SqlSession } from '../sql-database.ts'
import { tableBefore } from './counted-rows.ts'
import { countMissingRows, missingRowsFault } from './missing-rows.ts'
import { refusalOfRows } from './refused-rows.ts'
import type { Renames } from './rename-steps.ts'
import type { SchemaStep } from './schema-step.ts'

/** The steps as a person reads them, with the rows that lack a value. */
export async function planSteps(
  engine: Engine,
  session: SqlSession,
  steps: readonly SchemaStep[],
  renames: Renames,
): Promise<readonly PlanStep[]> {
  const plan: PlanStep[] = []
  for (const step of steps) {
    if (step.kind === 'online') plan.push(await onlineStep(engine, session, step, renames))
    else if (step.kind === 'backfill')
      plan.push(...(await backfillSteps(engine, session, step, renames)))
    else if (step.kind === 'requires')
      plan.push(...(await requiringStep(engine, session, step, renames)))
    else plan.push(step)
  }
  return plan
}

async function onlineStep(
  engine: Engine,
  session: SqlSession,
  {
    kind,
    table,
    summary,
    onlineSql,
    requires,
    endsOldProcesses,
    followsFilling,
    rowsPerSecond,
  }: Extract<SchemaStep, { kind: 'online' }>,
  renames: Renames,
): Promise<PlanStep> {
  const refusal = requires && (await refusalOfRows(engine, session, requires, renames))
  if (refusal !== undefined) return { kind: 'refused', summary: refusal }
  const sql = `select count(*) from ${engine.quoteTable(tableBefore(renames, table))}`
  const [result] = await session.run([{ sql, parameters: [] }])
  return {
    kind,
    summary,
    sql: onlineSql,
    itemCount: Number(result!.rows[0]![0]),
    ...(rowsPerSecond !== undefined && { itemsPerSecond: rowsPerSecond }),
    ...(endsOldProcesses && { endsOldProcesses }),
    ...(followsFilling && { followsFilling }),
  }
}

async function requiringStep(
  engine: Engine,
  session: SqlSession,
  { summary, sql, lacking }: Extract<SchemaStep, { kind: 'requires' }>,
  renames: Renames,
): Promise<readonly PlanStep[]> {
  const fault = await missingRowsFault(engine, session, lacking, renames)
  if (fault !== undefined) return [{ kind: 'refused', summary: fault }]
  return sql.length > 0 ? [{ kind: 'instant', summary, sql }] : []
}

async function backfillSteps(
  engine: Engine,
  session: SqlSession,
  { summary, sql, lacking }: Extract<SchemaStep, { kind: 'backfill' }>,
  renames: Renames,
): Promise<readonly PlanStep[]> {
  const { count } = await countMissingRows(engine, session, lacking, renames)
  const { layout, column } = lacking
  const items = countOf(count, 'item')
  return [
    ...(sql.length > 0 ? [{ kind: 'instant', summary, sql } as const] : []),
    ...(count > 0
      ? [
          {
            kind: 'rewrite',
            summary: backfillSummary(layout.model, column.field as ValueField, items),
            sql: [],
            itemCount: count,
          } as const,
        ]
      : []),
  ]
}
