import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PulledService, pulledService } from '../../../../test/support/pulled-sqlite.ts'

let service: PulledService

beforeAll(async () => {
  service = await pulledService(`
    create table trips (
      id integer primary key not null,
      "From" text not null,
      "to" text not null,
      seats integer not null default 1 check (seats * seats < 100),
      constraint moved check ("From" <> "to"),
      check ( length("to")
        <> seats ),
      unique (seats, "to")
    );
    insert into trips values (1, 'a', 'bcde', 3);
  `)
})
afterAll(() => service?.close())

it.each([
  [{ seats: 11 }, ['seats']],
  [{ from: 'bcde' }, ['from', 'to']],
  [{ seats: 4 }, ['to', 'seats']],
])('names the fields of a rule that a write violates: %j', async (trip, names) => {
  const { status, errors } = await service.api.patch('/trips/1', { trip })
  expect(status).toBe(422)
  expect(errors.map(({ source }) => source?.pointer)).toEqual(
    names.map((name) => (name in trip ? `/trip/${name}` : '/trip')),
  )
  expect(errors[0]!.detail).toContain(names.map((name) => `'${name}'`).join(' and '))
})

it('names the fields of a key over several columns', async () => {
  const trip = { from: 'x', to: 'bcde', seats: 3 }
  const { errors } = await service.api.post('/trips', { trip })
  expect(errors).toMatchObject([
    { source: { pointer: '/trip/seats' }, meta: { fields: ['seats', 'to'] } },
  ])
})
