import { countOf, formatNumber } from '../../text/message-text.ts'
import type { CheckReport } from './check.ts'
import { toCurl } from './curl.ts'
import type { Finding } from './finding.ts'
import type { RateLimitCounts } from './rate-limits.ts'

/** A report for a terminal: each finding with a command that repeats it. */
export function formatReport(report: CheckReport, base: URL): string {
  const { findings, operationCount, requestCount, successCount, seed } = report
  const counts = `${countOf(requestCount, 'request')} to ${countOf(operationCount, 'operation')}, seed ${seed}.`
  const result =
    successCount > 0
      ? `${counts} ${successCount} of them succeeded.`
      : `${counts}\n${nothingSucceededText}`
  const head = `${result}${describeRateLimits(report)}`
  if (findings.length === 0) return `${head}\nEvery response matches the document.\n`
  return `${head}\n${describeFindings(findings, base)}`
}

/** What rate limits did to a check, on lines of their own; empty without any. */
export function describeRateLimits({ limitedCount, waitedMs }: RateLimitCounts): string {
  const waited =
    waitedMs > 0 ? `\nWaited ${formatNumber(Math.ceil(waitedMs / 1_000))} s for rate limits.` : ''
  const limited =
    limitedCount > 0
      ? `\nA rate limit refused ${countOf(limitedCount, 'request')} (429), which were not checked; raise the limits of the service for a check.`
      : ''
  return waited + limited
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
