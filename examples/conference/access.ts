import type { AccessCallback } from 'resourcery'
import type { ApiKey, Person, Rating, Room, Session, Talk } from './models.ts'
import type { Caller } from './sign-in.ts'

/** Everybody sees people. An email is for the person alone. */
export const people: AccessCallback<Person, Caller> = ({ item, caller, anyone }) => {
  const organizer = caller.role.equal('organizer')
  return {
    read: anyone,
    create: organizer,
    update: item.id.equal(caller.id).or(organizer),
    delete: organizer,
    fields: { email: { read: item.id.equal(caller.id) } },
  }
}

/** Everybody sees accepted talks, speakers their own, and organizers all of them. */
export const talks: AccessCallback<Talk, Caller> = ({ item, caller, signedIn }) => {
  const organizer = caller.role.equal('organizer')
  const own = item.speaker.equal(caller.id)
  return {
    read: item.status.equal('accepted').or(own, organizer),
    create: signedIn,
    update: own.or(organizer),
    delete: own.or(organizer),
    actions: { submit: own.or(organizer), reject: organizer, schedule: organizer },
    set: { speaker: caller.id },
    fields: { score: { read: organizer }, speaker: { write: organizer } },
  }
}

/** The program: rooms and sessions. */
export const program: AccessCallback<Room | Session, Caller> = ({ caller, anyone }) => {
  const organizer = caller.role.equal('organizer')
  return { read: anyone, create: organizer, update: organizer, delete: organizer }
}

export const ratings: AccessCallback<Rating, Caller> = ({ item, caller, anyone, signedIn }) => {
  const own = item.attendee.equal(caller.id)
  return {
    read: anyone,
    create: signedIn,
    update: own,
    delete: own.or(caller.role.equal('organizer')),
    set: { attendee: caller.id },
  }
}

/** People manage their own keys. No key has scopes, because it acts as its owner. */
export const keys: AccessCallback<ApiKey, Caller> = ({ item, caller, signedIn, nobody }) => {
  const own = item.owner.equal(caller.id)
  return {
    read: own,
    create: signedIn,
    update: own,
    delete: own,
    actions: { issue: own },
    set: { owner: caller.id },
    fields: { scopes: { read: nobody } },
  }
}
