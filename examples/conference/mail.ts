import { appendFile } from 'node:fs/promises'
import type { ConsumeChanges } from 'resourcery'
import type { Talk } from './models.ts'

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
