import type { Report } from './check.ts'
import { curl } from './curl.ts'

/** A report for a terminal: each finding with the line that shows it again. */
export function reportText({ findings, operations, requests, succeeded, seed }: Report, base: URL): string {
  const sent = `${requests} requests to ${operations} operations, seed ${seed}.`
  const head = succeeded > 0 ? `${sent} ${succeeded} of them succeeded.` : `${sent}\n${nothingDone}`
  if (findings.length === 0) return `${head}\nEvery answer was as documented.\n`
  const told = findings.map(
    ({ kind, about, message, sending }) => `\n${kind}: ${about}\n  ${message}\n  ${curl(base, sending)}\n`,
  )
  return `${head}\n${findings.length} ${findings.length === 1 ? 'fault' : 'faults'}.\n${told.join('')}`
}

const nothingDone =
  'None of them succeeded, so this says little: where the service asks who is there, tell it with --header.'
