import { appendFile } from 'node:fs/promises'
import type { ConsumeChanges, RunScheduledJob } from 'resourcery'
import { Talk } from './models.ts'

/** Tells speakers that their talk was accepted or rejected, at least once. */
export const mailSpeakers =
  (outbox: string): ConsumeChanges<typeof Talk> =>
  async (changes) => {
    for (const { before, after } of changes) {
      if (!after || after.status === before?.status) continue
      if (after.status === 'accepted' || after.status === 'rejected')
        await appendFile(outbox, `To ${after.speaker}: '${after.title}' is ${after.status}.\n`)
    }
  }

/** Reminds speakers each morning of the drafts that they have not submitted. */
export const remindSpeakers =
  (outbox: string): RunScheduledJob =>
  async ({ items }) => {
    const drafts = items(Talk).find((query) => query.where('status').equal('draft'))
    for await (const { title, speaker } of drafts)
      await appendFile(outbox, `To ${speaker}: '${title}' is still a draft.\n`)
  }
