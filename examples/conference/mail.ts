import { appendFile } from 'node:fs/promises'
import type { Middleware } from 'resourcery'
import type { Talk } from './models.ts'

/** Tells speakers, once, that their talk was accepted or rejected. */
export const mailSpeakers = (outbox: string): Middleware<Talk> => ({
  write: {
    afterCommit: async ({ item, previous }) => {
      if (!item || item.status === previous?.status) return
      if (item.status === 'accepted' || item.status === 'rejected')
        await appendFile(outbox, `To ${item.speaker}: '${item.title}' is ${item.status}.\n`)
    },
  },
})
