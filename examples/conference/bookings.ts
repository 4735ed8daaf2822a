import type { Middleware } from 'resourcery'
import { Session } from './models.ts'

/** A room has one session at a time. */
export const oneSessionAtATime: Middleware<Session> = {
  write: {
    before: async ({ kind, next, items, refuse }) => {
      if (kind === 'delete') return
      const others = await items(Session).count((query) => {
        const inRoom = query.where('room').equal(next.room).where('id').notEqual(next.id)
        return inRoom.where('start').lessThan(next.end).where('end').greaterThan(next.start)
      })
      if (others > 0) refuse('room', 'is taken at this time')
    },
  },
}
