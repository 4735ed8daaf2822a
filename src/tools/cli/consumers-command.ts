import type { Router } from '../../index.ts'
import { aboutSeconds, countOf } from '../../text/message-text.ts'
import type { ConsumerReport, ReportedAside } from '../../types.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'
import { refusePendingSteps } from './refuse-pending-steps.ts'
import { reportName } from './report-name.ts'

/** `resourcery consumers`: how far consumers are, and what they have put aside. */
export const consumersCommand: Command = command({
  name: 'consumers',
  synopsis: 'consumers <module>',
  summary: 'prints how far consumers of changes are, and repeats what they have put aside',
  usage: `resourcery consumers <module>

Prints how far each consumer of changes is, which process runs it, what failed last, and the changes
that it has put aside. Expects a module that exports a router. It runs no consumer.
It changes no tables: it refuses while 'resourcery plan' has steps for the module.

  --retry <name>   has this consumer repeat what it has put aside
`,
  options: { retry: { type: 'string' } },
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const routers = await importRouters(file)
    try {
      await refusePendingSteps(file, routers)
      if (typeof values.retry === 'string') await repeatAside(routers, values.retry)
      else console.log(reportText(await reportsOf(routers)))
    } finally {
      for (const router of routers) await router.close()
    }
    return 0
  },
})

/** Routers may share a store, and only one of them has registered the consumer. */
async function reportsOf(routers: readonly Router[]): Promise<readonly ConsumerReport[]> {
  const reports = new Map<string, ConsumerReport>()
  for (const router of routers)
    for (const report of await router.consumers())
      if (report.isRegistered || !reports.has(reportName(report)))
        reports.set(reportName(report), report)
  return [...reports.values()]
}

async function repeatAside(routers: readonly Router[], name: string): Promise<void> {
  const reports = await reportsOf(routers)
  for (const router of routers) {
    const report = (await router.consumers()).find((each) => each.name === name)
    if (!report?.isRegistered) continue
    await router.repeatAside(name)
    const owner = report.owner ?? 'The next process that runs the consumer'
    console.log(
      report.owner === undefined
        ? `${owner} repeats ${countOf(report.aside.length, 'change')}.`
        : `The process ${owner} repeats ${countOf(report.aside.length, 'change')} within seconds.`,
    )
    return
  }
  const names = reports.filter(({ isRegistered }) => isRegistered).map((report) => report.name)
  throw new Error(`Unknown consumer '${name}'; expected one of ${names.join(', ') || 'none'}.`)
}

function reportText(reports: readonly ConsumerReport[]): string {
  if (reports.length === 0) return 'No consumers.'
  return reports.flatMap(linesOf).join('\n')
}

function linesOf(report: ConsumerReport): readonly string[] {
  const { isRegistered, owner, lastError, hasLostChanges, aside } = report
  return [
    `${reportName(report)}${isRegistered ? '' : ' (not registered any more)'}: ${pendingText(report)}`,
    `  ${owner === undefined ? 'is not running now' : `runs in ${owner}`}`,
    ...(hasLostChanges ? ['  has lost changes that the log does not keep any more'] : []),
    ...(lastError ? [`  last error, ${lastError.time.toISOString()}: ${lastError.message}`] : []),
    ...(aside.length === 0 ? [] : [`  ${countOf(aside.length, 'change')} put aside:`]),
    ...aside.map((change) => `    ${asideText(change)}`),
  ]
}

function pendingText({ pendingCount, pendingSince }: ConsumerReport): string {
  if (pendingSince === undefined) return 'has done all changes'
  const count = pendingCount === 10_000 ? 'at least 10000 changes' : countOf(pendingCount, 'change')
  const seconds = Math.max((Date.now() - pendingSince.getTime()) / 1_000, 0)
  return `has ${count} to do, since ${seconds < 1 ? 'a moment' : aboutSeconds(seconds)}`
}

function asideText({ kind, model, id, time, attempts, error }: ReportedAside): string {
  const change = `${kind} of the ${model} '${id}', ${time.toISOString()}`
  return error === undefined
    ? `${change}: waits for the change before it`
    : `${change}: ${countOf(attempts, 'attempt')}, ${error}`
}
