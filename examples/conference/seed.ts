import type { Router } from 'resourcery'
import { ApiKey, Person, Rating, Room, Session, Talk } from './models.ts'
import type { Caller } from './sign-in.ts'

const person = (id: string, role: Caller['role'] = 'attendee') => ({
  id,
  name: `${id[0]!.toUpperCase()}${id.slice(1)}`,
  email: `${id}@example.org`,
  role,
})

export const attendees = [person('olga', 'organizer'), person('ada'), person('bob')]

const morning = { start: '2030-06-01T10:30:00Z', end: '2030-06-01T12:00:00Z' }

/** The people, and one item of each other model, which the examples of the document name. */
export async function seed(router: Pick<Router, 'load'>): Promise<void> {
  await router.load(Person, attendees)
  await router.load(Room, [{ id: 'hall', name: 'Great hall' }])
  await router.load(Talk, [{ id: 'looms', title: 'What looms can weave', speaker: 'ada' }])
  await router.load(Session, [{ id: 'morning', ...morning, talk: 'looms', room: 'hall' }])
  await router.load(Rating, [{ id: 'first', stars: 4, talk: 'looms', attendee: 'ada' }])
  await router.load(ApiKey, [{ id: 'nightly', name: 'Nightly import', owner: 'ada' }])
}
