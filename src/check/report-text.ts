import { countOf } from '../text/message-text.ts'
import type { CheckReport } from './check.ts'
import { toCurl } from './curl.ts'

/** A report for a terminal: each finding with a command that repeats it. */
export function formatReport(
  { findings, operationCount, requestCount, successCount, seed }: CheckReport,
  base: URL,
): string {
  const counts = `${countOf(requestCount, 'request')} to ${countOf(operationCount, 'operation')}, seed ${seed}.`
  const head =
    successCount > 0
      ? `${counts} ${successCount} of them succeeded.`
      : `${counts}\n${nothingSucceededText}`
  if (findings.length === 0) return `${head}\nEvery response matches the document.\n`
  const texts = findings.map(
    ({ kind, subject, message, request }) =>
      `\n${kind}: ${subject}\n  ${message}\n  ${toCurl(base, request)}\n`,
  )
  return `${head}\n${countOf(findings.length, 'violation')}.\n${texts.join('')}`
}

const nothingSucceededText =
  'No request succeeded, so the result says little; if the service needs authentication, pass --header.'
