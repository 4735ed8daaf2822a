import type { Middleware, QueryHook } from 'resourcery'
import { caller, callerId, organizersOnly, signedIn } from './caller.ts'
import { type Person, type Rating, Session, type Talk } from './models.ts'

/** The items whose member is the id of the caller; all of them for organizers. */
const own =
  (path: string): QueryHook =>
  (query, context) => {
    if (context.state.get(caller)?.isOrganizer) return query
    const id = callerId(context)
    return id === undefined ? query.none() : query.where(path).equal(id)
  }

export const organizersWrite: Middleware = { request: { write: organizersOnly } }

export const ownProfile: Middleware<Person> = {
  request: { create: organizersOnly, write: signedIn },
  query: { update: own('id') },
}

/** Everybody sees accepted talks, and speakers their own. */
export const ownTalks: Middleware<Talk> = {
  request: { write: signedIn },
  query: {
    any: (query, context) =>
      query.or(
        (talks) => talks.where('status').equal('accepted'),
        (talks) => own('speaker')(talks, context),
      ),
    update: own('speaker'),
  },
}

export const ownRatings: Middleware<Rating> = {
  request: { write: signedIn },
  query: { update: own('attendee') },
}

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
