import type { Report } from './check.ts'
import { curl } from './curl.ts'

/** A report for a terminal: each finding with the line that shows it again. */
export function reportText({ findings, operations, requests, seed }: Report, base: URL): string {
  const head = `${requests} requests to ${operations} operations, seed ${seed}.`
  if (findings.length === 0) return `${head}\nEvery answer was as documented.\n`
  const told = findings.map(
    ({ kind, about, message, sending }) => `\n${kind}: ${about}\n  ${message}\n  ${curl(base, sending)}\n`,
  )
  return `${head}\n${findings.length} ${findings.length === 1 ? 'fault' : 'faults'}.\n${told.join('')}`
}
