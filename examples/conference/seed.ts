import type { Caller } from './sign-in.ts'

const person = (id: string, role: Caller['role'] = 'attendee') => ({
  id,
  name: `${id[0]!.toUpperCase()}${id.slice(1)}`,
  email: `${id}@example.org`,
  role,
})

export const attendees = [person('olga', 'organizer'), person('ada'), person('bob')]
