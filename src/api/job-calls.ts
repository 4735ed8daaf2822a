import { runNow } from '../feature/scheduled-jobs/run-now.ts'
import { reportScheduledJobs } from '../feature/scheduled-jobs/scheduled-job-report.ts'
import type { ScheduledJobServices } from '../feature/scheduled-jobs/scheduled-job-services.ts'
import type { ScheduledJobs } from '../feature/scheduled-jobs/scheduled-jobs.ts'
import type { ItemsOf } from '../model/items/items.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { backgroundServicesOf } from './background-services.ts'
import type { Opening } from './opening.ts'
import type { Router } from './router.ts'
import type { RouterParts } from './router-lifecycle.ts'

/** What a router does with its scheduled jobs. */
interface JobCalls extends Pick<Router, 'jobs' | 'runJob'> {
  readonly job: (...call: Parameters<ScheduledJobs['add']>) => void
  /** Has all of them wait for their times: the router is open. */
  start(): Promise<void>
}

export function jobCalls(parts: RouterParts, opening: Opening, items: ItemsOf): JobCalls {
  const { settings, scheduledJobs, registrations } = parts
  const { store, clock } = settings
  const services = (): ScheduledJobServices => ({ ...backgroundServicesOf(parts, items), clock })
  return {
    job: (...call) => {
      registrations.beforeChange()
      scheduledJobs.add(...call)
    },
    jobs: async () => {
      if (scheduledJobs.all.length === 0) return []
      await opening.open()
      return reportScheduledJobs(store, scheduledJobs.all, clock())
    },
    runJob: async (name) => {
      const job = scheduledJobs.find(name)
      if (!job) throw new RegistrationError(`The router has no job '${name}'.`)
      await opening.open()
      await scheduledJobs.record({ store, clock })
      await runNow(job, services())
    },
    start: () => scheduledJobs.start(services()),
  }
}
