import { jobRows } from './job-rows.ts'
import type { JobServices } from './job-services.ts'
import { jobsOfOldBodies, removeBody } from './kept-bodies.ts'

/** How many jobs one transaction deletes. */
const maxSwept = 500

/** A body takes less time to arrive. */
const unfinishedMs = 86_400_000

/** Deletes jobs that have ended and are too old, and bodies that a crash has left without a job. */
export async function sweepJobs(
  { items, store, Job, settings }: JobServices,
  nowMs: number,
  isStopped: () => boolean,
): Promise<void> {
  const endedBefore = new Date(nowMs - settings.keepDays * 86_400_000).toISOString()
  const sweep = () =>
    items(Job).deleteWhere((all) =>
      // Null is less than any time.
      all.where('endedAt').notEqual(null).where('endedAt').lessThan(endedBefore).limit(maxSwept),
    )
  while (!isStopped() && (await sweep()) === maxSwept);
  for (const id of await jobsOfOldBodies(store, nowMs - unfinishedMs)) {
    if (isStopped()) return
    if (!(await jobRows.find(store, id)))
      await store.write((transaction) => removeBody(transaction, id))
  }
}
