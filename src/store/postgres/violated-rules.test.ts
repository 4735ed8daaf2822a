import { createRouter, field, model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const tables = `
create extension if not exists btree_gist;
create domain code as text constraint code_form check (value ~ '^[a-z]+$');
create domain amount as numeric constraint amount_positive check (value > 0);
create table rooms (
  id integer primary key,
  label code,
  low integer,
  high integer,
  price amount,
  fee amount,
  secret integer,
  constraint range check (low <= high),
  constraint guarded check (low <> secret),
  constraint numbered check (id < 1000 or label is null)
);
create table doors (name text primary key);
create table bookings (
  id serial primary key,
  room_id integer not null references rooms,
  guest text not null,
  days daterange,
  exclude using gist (room_id with =, days with &&),
  constraint twice unique (guest, days)
);
create table room_door (
  room integer references rooms,
  door text references doors unique,
  primary key (room, door)
);
insert into rooms values (1, 'a', 1, 2, 1, 1, 5), (2, 'b', 1, 2, 1, 1, 5);
insert into doors values ('front');
insert into room_door values (1, 'front');
insert into bookings (room_id, guest, days) values (1, 'Ann', '[2024-01-01,2024-01-03)');
`

const Room = model(
  'room',
  {
    label: z.string().nullish(),
    low: z.int().nullish(),
    high: z.int().nullish(),
    price: z.string().nullish(),
    fee: z.string().nullish(),
    secret: field(z.int().nullish(), { hidden: true }),
    doors: toMany('door', { through: { table: 'room_door', owner: 'room', target: 'door' } }),
  },
  { table: 'rooms' },
)
const Door = model('door', {}, { table: 'doors', key: 'name' })
const Booking = model(
  'booking',
  { room: toOne('room'), guest: z.string(), days: z.string().nullish() },
  { table: 'bookings', ids: 'server' },
)

describePostgres('A rule of the database that a write violates', () => {
  let database: TestDatabase
  let router: ReturnType<typeof createRouter>
  let api: ReturnType<typeof client>

  beforeAll(async () => {
    database = await newDatabase()
    await (await sharedServer()).run(tables, [], database.name)
    router = createRouter({ policy: rest(), store: postgres(database.url, { manage: false }) })
    for (const each of [Room, Door, Booking]) router.prepare(each)
    await router.open()
    api = client(router)
  })
  afterAll(async () => {
    await router?.close()
    await database?.drop()
  })

  const violation = 'violate a rule of the database together.'

  it.each<[string, object, string, readonly string[]]>([
    ['a check', { low: 3, high: 2 }, `'low' and 'high' ${violation}`, ['low', 'high']],
    [
      'a check with a hidden field',
      { low: 5, high: 6 },
      "'low' violates a rule of the database.",
      ['low'],
    ],
    ['a domain', { label: '1' }, "'label' violates a rule of the database.", ['label']],
    ['a relation', { doors: ['front'] }, "'doors' violates a rule of the database.", ['doors']],
    // The database does not say which of them it is.
    [
      'a domain of two fields',
      { price: '-1', fee: '1' },
      'The room violates a rule of the database.',
      [],
    ],
  ])('names the fields of %s', async (_, room, detail, pointers) => {
    const { status, errors } = await api.patch('/rooms/2', { room })
    expect(status).toBe(422)
    expect(errors.map((error) => error.detail)).toEqual(errors.map(() => detail))
    expect(errors.flatMap(({ source }) => source?.pointer ?? [])).toEqual(
      pointers.map((name) => `/room/${name}`),
    )
  })

  it('names the id, also where the column cannot hold it', async () => {
    const create = async (id: string) =>
      (await api.post('/rooms', { room: { id, label: 'x' } })).errors
    expect((await create('abc')).map(({ detail, source }) => [detail, source?.pointer])).toEqual([
      ["'id' violates a rule of the database.", '/room/id'],
    ])
    expect((await create('1000')).map(({ source }) => source?.pointer)).toEqual([
      '/room/id',
      '/room/label',
    ])
  })

  it('names relations and fields of exclude constraints and of keys over several columns', async () => {
    const pointersOf = async (booking: object) =>
      (await api.post('/bookings', { booking })).errors.map(({ source }) => source?.pointer)
    expect(await pointersOf({ room: '1', guest: 'Bob', days: '[2024-01-02,2024-01-04)' })).toEqual([
      '/booking/room',
      '/booking/days',
    ])
    expect(await pointersOf({ room: '2', guest: 'Ann', days: '[2024-01-01,2024-01-03)' })).toEqual([
      '/booking/guest',
      '/booking/days',
    ])
  })
})
