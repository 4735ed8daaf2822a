import { type CountedItems, missingValuesFault, type RequiredMember } from '../../missing-values.ts'
import type { Engine } from '../engine.ts'
import type { SqlSession } from '../sql-database.ts'
import { columnBefore, countWithIds } from './counted-rows.ts'
import type { Renames } from './rename-steps.ts'
import type { LackingColumn, SchemaStep } from './schema-step.ts'

/** Which rows lack what the steps require of them, a sentence for each column. */
export async function missingRowsFaults(
  engine: Engine,
  session: SqlSession,
  steps: readonly SchemaStep[],
  renames: Renames,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const step of steps) {
    if (step.kind !== 'requires') continue
    const fault = await missingRowsFault(engine, session, step.lacking, renames)
    if (fault !== undefined) faults.push(fault)
  }
  return faults
}

/** Undefined if every row has a value. */
export async function missingRowsFault(
  engine: Engine,
  session: SqlSession,
  lacking: LackingColumn,
  renames: Renames,
): Promise<string | undefined> {
  const rows = await countMissingRows(engine, session, lacking, renames)
  const { layout, column } = lacking
  // A column of a file requires no value.
  return rows.count === 0
    ? undefined
    : missingValuesFault(layout.model, column.field as RequiredMember, rows)
}

export function countMissingRows(
  engine: Engine,
  session: SqlSession,
  { layout, column, rows }: LackingColumn,
  renames: Renames,
): Promise<CountedItems> {
  const { table, key, column: name } = columnBefore(engine, renames, layout, column)
  return countWithIds(session, key, rows === 'all' ? table : `${table} where ${name} is null`)
}
