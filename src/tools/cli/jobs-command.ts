import type { Router } from '../../index.ts'
import { countOf } from '../../text/message-text.ts'
import type { ReportedRun, ScheduledJobReport } from '../../types.ts'
import { importRouters } from '../import-routers.ts'
import { type Command, command } from './command.ts'
import { expectPositionals } from './parse-arguments.ts'
import { refusePendingSteps } from './refuse-pending-steps.ts'
import { reportName } from './report-name.ts'

/** `resourcery jobs`: what became of scheduled jobs, and when they run next. */
export const jobsCommand: Command = command({
  name: 'jobs',
  synopsis: 'jobs <module>',
  summary: 'prints when scheduled jobs ran and run next, and runs one now',
  usage: `resourcery jobs <module>

Prints of each scheduled job when it ran last, what became of it, when it runs next, and which
process runs it. Expects a module that exports a router. It changes no tables: it refuses while
'resourcery plan' has steps for the module.

  --run <name>   run this scheduled job once, now, in this process; its next time stays
`,
  options: { run: { type: 'string' } },
  run: async ({ values, positionals }) => {
    const [file] = expectPositionals(positionals, ['one module'])
    const routers = await importRouters(file)
    try {
      await refusePendingSteps(file, routers)
      if (typeof values.run === 'string') await runJob(routers, values.run)
      else console.log(reportText(await reportsOf(routers)))
    } finally {
      for (const router of routers) await router.close()
    }
    return 0
  },
})

/** Routers may share a store, and only one of them has registered the job. */
async function reportsOf(routers: readonly Router[]): Promise<readonly ScheduledJobReport[]> {
  const reports = new Map<string, ScheduledJobReport>()
  for (const router of routers)
    for (const report of await router.jobs())
      if (report.isRegistered || !reports.has(reportName(report)))
        reports.set(reportName(report), report)
  return [...reports.values()]
}

async function runJob(routers: readonly Router[], name: string): Promise<void> {
  for (const router of routers) {
    const report = (await router.jobs()).find((each) => each.name === name)
    if (!report?.isRegistered) continue
    if (report.owner) console.log(`Waits for the process ${report.owner}, which runs the job.`)
    await router.runJob(name)
    console.log(`The job '${name}' is done.`)
    return
  }
  const registered = (await reportsOf(routers)).filter(({ isRegistered }) => isRegistered)
  const names = [...new Set(registered.map((report) => report.name))].join(', ')
  throw new Error(`Unknown job '${name}'; expected one of ${names || 'none'}.`)
}

function reportText(reports: readonly ScheduledJobReport[]): string {
  return reports.length === 0 ? 'No scheduled jobs.' : reports.flatMap(linesOf).join('\n')
}

function linesOf(report: ScheduledJobReport): readonly string[] {
  const { owner, lastRun, lastError, nextAt } = report
  const next = nextAt ? `next run ${nextAt.toISOString()}` : 'not registered any more'
  return [
    `${reportName(report)}: ${next}`,
    `  ${owner === undefined ? 'is not running now' : `runs in ${owner}`}`,
    `  ${lastRun ? runText(lastRun) : 'has not run'}`,
    ...(lastError === undefined ? [] : [`  last error: ${lastError}`]),
  ]
}

function runText({ scheduledAt, startedAt, endedAt, outcome, attempts }: ReportedRun): string {
  const times = endedAt
    ? `from ${startedAt.toISOString()} to ${endedAt.toISOString()}`
    : `since ${startedAt.toISOString()}`
  const count = countOf(attempts, 'attempt')
  return `last run for ${scheduledAt.toISOString()}: ${outcome} after ${count}, ${times}`
}
