import { countOf } from '../text/message-text.ts'
import type { CheckReport } from './check.ts'
import { toCurl } from './curl.ts'
import type { Finding } from './finding.ts'

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
  return `${head}\n${describeFindings(findings, base)}`
}

/** Findings, each with a command that repeats it. Credentials stand there as `<name of caller>`. */
export function describeFindings(findings: readonly Finding[], base: URL): string {
  const texts = findings.map(({ kind, subject, caller, message, request }) => {
    const sender = caller === undefined ? '' : `, as '${caller}'`
    return `\n${kind}: ${subject}${sender}\n  ${message}\n  ${toCurl(base, request)}\n`
  })
  return `${countOf(findings.length, 'violation')}.\n${texts.join('')}`
}

const nothingSucceededText =
  'No request succeeded, so the result says little; if the service needs authentication, pass --header.'
