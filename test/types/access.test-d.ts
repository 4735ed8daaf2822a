import {
  type AccessCallback,
  action,
  createRouter,
  dateTime,
  model,
  toMany,
  toOne,
} from 'resourcery'
import { basic } from 'resourcery/auth'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, it } from 'vitest'
import { z } from 'zod'

class Person extends model('person', { name: z.string() }) {}
class Talk extends model('talk', {
  title: z.string(),
  seats: z.int(),
  status: z.enum(['draft', 'accepted']),
  tags: z.array(z.string()),
  startsAt: dateTime({ optional: true }),
  endsAt: dateTime({ date: true }),
  room: z.object({ floor: z.int() }),
  speaker: toOne<Person>('person'),
  reviewers: toMany<Person>('person'),
  seatings: toMany<Seating>('seating', { inverse: 'talk' }),
  untyped: toMany('person'),
}) {}
class Seating extends model('seating', {
  row: z.int(),
  talk: toOne<Talk>('talk'),
  guest: toOne<Person>('person'),
}) {}
interface Caller {
  id: string
  level: number
  roles: string[]
  home?: { city: string } | undefined
}

const allows = (_: AccessCallback<Talk, Caller>) => undefined

describe('Access rules know the types of the model and of the caller', () => {
  it('compare fields with values and members of the caller', () => {
    allows(({ item, caller }) => ({
      read: item.speaker.equal(caller.id).or(item.reviewers.contains(caller.id)),
      create: item.status.equal('draft').and(item.seats.lessThan(caller.level)),
      update: item.speaker.name.startsWith('A').and(item.room.floor.equal(1)),
      delete: caller.roles.containsAny(['admin', 'chair']).or(item.tags.contains('open')),
      set: { speaker: caller.id, title: caller.home.city },
      fields: { title: { read: item.status.anyOf(['accepted']) } },
    }))
  })

  it('compare a member of the caller with the values of its enum', () => {
    interface Member {
      role: 'admin' | 'user'
      roles: readonly ('admin' | 'user')[]
      id: string & z.core.$brand<'Id'>
    }
    const allowsMember = (_: AccessCallback<Talk, Member>) => undefined
    allowsMember(({ item, caller }) => ({
      read: caller.role.equal('admin').or(caller.roles.contains('user'), caller.id.equal('x')),
      create: item.title.equal(caller.role).or(item.tags.containsAny(caller.roles)),
      update: item.speaker.equal(caller.id).or(caller.roles.contains(item.title)),
      delete: caller.role.equal(item.title).or(caller.role.anyOf(['user'])),
      set: { title: caller.role },
    }))
    // @ts-expect-error: no value of the enum
    allowsMember(({ caller }) => ({ read: caller.role.equal('admn') }))
    // @ts-expect-error: no value of the enum
    allowsMember(({ caller }) => ({ read: caller.role.anyOf(['admn']) }))
    // @ts-expect-error: no value of the enum
    allowsMember(({ caller }) => ({ read: caller.roles.contains('admn') }))
  })

  it('name the actions of the class, and those of the router where they are given', () => {
    class Loan extends model('loan', { book: z.string() }) {
      static {
        action(this, 'cancel')
      }
      cancel() {
        this.book = ''
      }
    }
    const router = createRouter({ policy: rest(), store: memory() })
    const loans = router.prepare(Loan).itemOperation('extend', () => undefined)
    loans.access(({ anyone }) => ({ actions: { cancel: anyone } }))
    loans.access<'extend'>(({ anyone }) => ({ actions: { cancel: anyone, extend: anyone } }))
    // @ts-expect-error: no action of the class
    loans.access(({ anyone }) => ({ actions: { cancle: anyone } }))
    // @ts-expect-error: neither of the class nor given
    loans.access<'extend'>(({ anyone }) => ({ actions: { extnd: anyone } }))
    // A class without methods has the actions of itemOperation alone.
    router.prepare(Talk).access(({ anyone }) => ({ actions: { accept: anyone } }))
  })

  it('compare dates with the time of the request', () => {
    allows(({ item, now }) => ({
      read: item.startsAt.lessThanOrEqual(now).and(item.endsAt.greaterThan(now)),
    }))
    // @ts-expect-error: a number
    allows(({ item, now }) => ({ read: item.seats.lessThan(now) }))
    // @ts-expect-error: the time has no operators
    allows(({ item, now }) => ({ read: now.lessThan(item.startsAt) }))
    // @ts-expect-error: no value to set
    allows(({ now }) => ({ set: { seats: now.equal } }))
  })

  it('compare the item before a change with the outcome', () => {
    allows(({ item, before }) => ({
      update: before.status.equal('draft').and(item.status.equal('accepted')),
    }))
    // @ts-expect-error: no value of the enum
    allows(({ before }) => ({ update: before.status.equal('open') }))
  })

  it('look at the items of relations to many, whose members they know', () => {
    allows(({ item, before, caller }) => ({
      read: item.reviewers.some((person) => person.name.equal(caller.id)),
      update: before.seatings.some((seating) =>
        seating.row.lessThan(caller.level).and(seating.guest.name.startsWith('A')),
      ),
      delete: item.untyped.some((person) => person.anything.equal(1)),
    }))
    // @ts-expect-error: the related model has no such field
    allows(({ item }) => ({ read: item.seatings.some((seating) => seating.rows.equal(1)) }))
    // @ts-expect-error: a number
    allows(({ item }) => ({ read: item.seatings.some((seating) => seating.row.equal('x')) }))
    // @ts-expect-error: no condition
    allows(({ item }) => ({ read: item.seatings.some((seating) => seating.row) }))
    // @ts-expect-error: one item
    allows(({ item, anyone }) => ({ read: item.speaker.some(() => anyone) }))
    // @ts-expect-error: no items
    allows(({ item, anyone }) => ({ read: item.tags.some(() => anyone) }))
    // @ts-expect-error: of the caller
    allows(({ caller, anyone }) => ({ read: caller.roles.some(() => anyone) }))
  })

  it('refuse unknown names and values of other types', () => {
    // @ts-expect-error: the model has no such field
    allows(({ item }) => ({ read: item.titel.equal('x') }))
    // @ts-expect-error: a number
    allows(({ item }) => ({ read: item.seats.equal('x') }))
    // @ts-expect-error: no value of the enum
    allows(({ item }) => ({ read: item.status.equal('open') }))
    // @ts-expect-error: the caller has no such member
    allows(({ item, caller }) => ({ read: item.speaker.equal(caller.name) }))
    // @ts-expect-error: a number of the caller
    allows(({ item, caller }) => ({ read: item.title.equal(caller.level) }))
    // @ts-expect-error: one value, not a list
    allows(({ item }) => ({ read: item.title.contains('x') }))
    // @ts-expect-error: the model has no such field
    allows(({ nobody }) => ({ fields: { titel: { read: nobody } } }))
    // @ts-expect-error: no condition
    allows(() => ({ read: true }))
  })

  it('get the caller from the schema of the router', () => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      security: {
        authentication: [basic({ users: { a: 'b' }, caller: (id) => ({ id, org: 'x' }) })],
        callerSchema: z.object({ id: z.string(), org: z.string() }),
        tenant: { field: 'organization', equal: (caller) => caller.org },
      },
    })
    router.prepare(Talk).access(({ item, caller }) => ({ read: item.speaker.equal(caller.id) }))
    // @ts-expect-error: the caller has no such member
    router.prepare(Talk).access(({ item, caller }) => ({ read: item.title.equal(caller.title) }))
  })
})
