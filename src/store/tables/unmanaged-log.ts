import type { PlanStep } from '../store-plan.ts'
import { changeStatements, changeTable } from './change-log-table.ts'
import type { Engine } from './engine.ts'
import type { OpenOptions } from './open-options.ts'
import { captureFaults, captureText } from './plan/capture-steps.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'

/**
 * What the log of changes lacks in a database whose tables the store does not change, with the SQL
 * for a person to run.
 */
export function unmanagedLogFaults(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
  { keepsChanges }: Pick<OpenOptions, 'keepsChanges'>,
): readonly Extract<PlanStep, { kind: 'refused' }>[] {
  if (!keepsChanges) return []
  const log = findTable(schema, changeTable)
    ? []
    : [
        {
          kind: 'refused' as const,
          summary: `The table '${changeTable.name}', in which the store keeps the log of changes, does not exist. ${howToRun}`,
          sql: changeStatements(engine).createTables,
        },
      ]
  const faults = captureFaults(engine, layouts, schema).filter(({ kind }) => kind !== 'useless')
  return [
    ...log,
    ...faults.map((fault) => {
      const summary = captureText(fault)
      return fault.kind === 'impossible'
        ? { kind: 'refused' as const, summary }
        : { kind: 'refused' as const, summary: `${summary} ${howToRun}`, sql: fault.sql }
    }),
  ]
}

const howToRun = '`resourcery plan --sql` prints the statements that a person runs.'

/** Triggers that nobody needs any more go on logging until a person drops them. */
export function uselessTriggerSteps(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): readonly PlanStep[] {
  return captureFaults(engine, layouts, schema)
    .filter(({ kind }) => kind === 'useless')
    .map((fault) => ({ kind: 'never', summary: captureText(fault), sql: fault.sql }))
}
