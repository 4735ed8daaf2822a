import type { StatementsRun } from '../../telemetry/channels.ts'
import type { Labels } from '../metrics/meter.ts'

const tablePattern = /\b(?:from|into|update|join)\s+(?:only\s+)?((?:"[^"]+"|[\w.])+)/i

/** What a statement does, and with which table: `SELECT books`. Of several, what the first does. */
export function statementSummary([first = '', ...others]: readonly string[]): string {
  // The numbers of temporary tables are no names.
  const table = tablePattern.exec(first)?.[1]?.replaceAll(/"| \d+/g, '')
  const summary = table === undefined ? verbOf(first) : `${verbOf(first)} ${table}`
  return others.length === 0 ? summary : `BATCH ${summary}`
}

/** The labels of metrics of statements: they hold nothing that clients choose. */
export function statementLabels({ system, statements, failure }: StatementsRun): Labels {
  return {
    'db.system.name': system,
    'db.operation.name': statements.length > 1 ? 'BATCH' : verbOf(statements[0] ?? ''),
    ...(failure !== undefined && { 'error.type': errorType(failure) }),
  }
}

function verbOf(statement: string): string {
  return (/\w+/.exec(statement)?.[0] ?? '').toUpperCase()
}

function errorType(failure: unknown): string {
  return failure instanceof Error ? failure.name : typeof failure
}
