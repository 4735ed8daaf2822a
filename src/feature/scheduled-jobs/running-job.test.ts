import { expect, it, onTestFinished, vi } from 'vitest'
import { LeaseLost } from '../../background/lease.ts'
import { memory } from '../../store/memory/memory.ts'
import type { Store } from '../../store/store.ts'
import { RunningJob } from './running-job.ts'
import {
  createScheduledJob,
  type RunScheduledJob,
  type ScheduledRun,
} from './scheduled-job-options.ts'
import { newScheduledJob, type ScheduledJobRow, scheduledJobRows } from './scheduled-job-rows.ts'

const times = { renewMs: 10, ownMs: 2_000, expireMs: 300, lookMs: 5 }
const hourMs = 3_600_000
/** Half an hour after the time for which the job is due. */
const startMs = 10 * hourMs + hourMs / 2

async function startJob(stored: Partial<ScheduledJobRow>, run: RunScheduledJob) {
  const store: Store = memory()
  await store.open([scheduledJobRows.model])
  const row = { ...newScheduledJob(9 * hourMs), ...stored }
  await store.write((transaction) => scheduledJobRows.insert(transaction, 'j', row))
  const errors: string[] = []
  const clock = { nowMs: startMs }
  const job = createScheduledJob('j', { every: '1 hour', attempts: 2 }, run)
  const services = {
    store,
    items: (() => undefined) as never,
    inTransaction: () => Promise.reject(new Error('unused')),
    onError: (error: unknown) => void errors.push((error as Error).message),
    clock: () => new Date(clock.nowMs),
  }
  const running = new RunningJob(job, services, times)
  onTestFinished(() => running.close())
  const change = (changes: Partial<ScheduledJobRow>) =>
    store.write((transaction) =>
      scheduledJobRows.change(transaction, 'j', (row) => ({
        ...row,
        ...changes,
        beat: row.beat + 1,
      })),
    )
  const untilRow = (expected: Partial<ScheduledJobRow>) =>
    vi.waitFor(
      async () => expect(await scheduledJobRows.get(store, 'j')).toMatchObject(expected),
      10_000,
    )
  return { errors, clock, change, untilRow }
}

it('aborts the signal of a run whose lease is lost, and runs again once the other owner ends', async () => {
  const runs: ScheduledRun[] = []
  const { errors, change, untilRow } = await startJob({}, async (run) => {
    runs.push(run)
    if (runs.length > 1) return
    await new Promise((resolve) => run.signal.addEventListener('abort', resolve))
  })
  await vi.waitUntil(() => runs.length === 1)
  await change({ owner: 'thief' })
  await vi.waitUntil(() => runs[0]!.signal.aborted)
  expect(runs[0]!.signal.reason).toBeInstanceOf(LeaseLost)
  // The thief has crashed: its beat stands still.
  await untilRow({ owner: '', settledMs: 10 * hourMs, outcome: 'done' })
  expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2])
  expect(errors).toEqual([])
})

it('does not run for a time that another process settles meanwhile', async () => {
  const runs: ScheduledRun[] = []
  const { change, clock, untilRow } = await startJob({ owner: 'other' }, (run) => {
    runs.push(run)
  })
  await change({ owner: '', settledMs: 10 * hourMs })
  clock.nowMs += hourMs
  await untilRow({ owner: '', settledMs: 11 * hourMs })
  expect(runs.map(({ scheduledAt }) => scheduledAt.getTime())).toEqual([11 * hourMs])
})

it('counts a run that a crash interrupted, and gives up where it was the last attempt', async () => {
  const runs: ScheduledRun[] = []
  const crashed = { scheduledMs: 10 * hourMs, outcome: 'running', owner: 'crashed' } as const
  const once = await startJob({ ...crashed, attempts: 1 }, (run) => void runs.push(run))
  await once.untilRow({ settledMs: 10 * hourMs, outcome: 'done' })
  expect(runs.map(({ attempt }) => attempt)).toEqual([2])

  const twice = await startJob({ ...crashed, attempts: 2 }, (run) => void runs.push(run))
  await twice.untilRow({ owner: '', settledMs: 10 * hourMs })
  expect(runs).toHaveLength(1)
  expect(twice.errors).toEqual([
    "The scheduled job 'j' was interrupted for 1970-01-01T10:00:00.000Z, in the last of 2 attempts, and runs next at 1970-01-01T11:00:00.000Z.",
  ])
})
