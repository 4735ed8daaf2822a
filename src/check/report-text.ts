import type { CheckReport } from './check.ts'
import { toCurl } from './curl.ts'

/** A report for a terminal: each finding with the line that shows it again. */
export function formatReport(
  { findings, operationCount, requestCount, successCount, seed }: CheckReport,
  base: URL,
): string {
  const sent = `${requestCount} requests to ${operationCount} operations, seed ${seed}.`
  const head =
    successCount > 0
      ? `${sent} ${successCount} of them succeeded.`
      : `${sent}\n${nothingSucceededText}`
  if (findings.length === 0) return `${head}\nEvery answer was as documented.\n`
  const told = findings.map(
    ({ kind, subject, message, request }) =>
      `\n${kind}: ${subject}\n  ${message}\n  ${toCurl(base, request)}\n`,
  )
  return `${head}\n${findings.length} ${findings.length === 1 ? 'fault' : 'faults'}.\n${told.join('')}`
}

const nothingSucceededText =
  'None of them succeeded, so this says little: where the service asks who is there, tell it with --header.'
