import { Lease, leaseTimes } from '../../background/lease.ts'
import { routerCloses, runningOver } from '../../background/running-work.ts'
import { runOnce } from './run-once.ts'
import type { ScheduledJob } from './scheduled-job-options.ts'
import { scheduledJobRows } from './scheduled-job-rows.ts'
import type { ScheduledJobServices } from './scheduled-job-services.ts'

/**
 * Runs a job once in this process, once no other one does.
 * @throws what its function throws, and the reason of the signal of a router that closes
 */
export async function runNow(job: ScheduledJob, services: ScheduledJobServices): Promise<void> {
  const closing = new AbortController()
  const ended = runUntil(job, services, closing.signal)
  const work = {
    close: async () => {
      closing.abort(routerCloses())
      await ended.catch(() => undefined)
    },
  }
  const running = runningOver(services.store)
  running.add(work)
  try {
    await ended
  } finally {
    running.delete(work)
  }
}

async function runUntil(
  job: ScheduledJob,
  services: ScheduledJobServices,
  closing: AbortSignal,
): Promise<void> {
  const { name, options } = job
  const { store } = services
  const isFenced = options.inTransaction
  const settings = { store, rows: scheduledJobRows, name, times: leaseTimes, isFenced }
  const lease = await Lease.acquire(settings, closing)
  if (!lease) throw closing.reason
  try {
    const failed = await runOnce({
      job,
      services,
      lease,
      signal: AbortSignal.any([closing, lease.signal]),
      scheduledMs: services.clock().getTime(),
      attempts: 1,
      whenDone: {},
      whenFailed: {},
    })
    if (failed) throw failed.cause
  } finally {
    await lease.release()
  }
}
