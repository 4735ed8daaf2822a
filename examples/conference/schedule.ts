import type { ItemContext } from 'resourcery'
import { z } from 'zod'
import { Session, type Talk } from './models.ts'

const instant = z.iso.datetime({ offset: true })
const input = z.object({
  room: z.string().meta({ examples: ['hall'] }),
  start: instant.meta({ examples: ['2030-06-01T13:00:00Z'] }),
  end: instant.meta({ examples: ['2030-06-01T14:00:00Z'] }),
})

/** Accepts a talk and gives it a room and a time, or does neither. */
export async function schedule(context: ItemContext<Talk, z.infer<typeof input>>): Promise<void> {
  const { item: talk, input, items } = context
  talk.status = 'accepted'
  await items(Session).create({ ...input, talk: talk.id })
}

export const scheduling = { input }
