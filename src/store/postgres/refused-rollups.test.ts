import { createRouter, model, type Policy, type Router, rollup, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { rest } from 'resourcery/rest'
import { beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { type Client, client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const tables = `
create table courses (
  id text primary key,
  number_of_places integer not null default 0,
  points smallint not null default 0,
  first_day text unique,
  constraint full_course check (number_of_places <= 2)
);
create table places (
  id text primary key,
  points integer not null,
  day text,
  course_id text references courses
);
create function refuse_fewer() returns trigger language plpgsql as $$
begin
  if new.points < old.points and old.id = 'guarded' then
    raise exception 'points of % cannot fall', old.id;
  end if;
  return new;
end $$;
create trigger guard before update on courses for each row execute function refuse_fewer();
insert into courses (id, first_day) values ('sql', null), ('guarded', null), ('go', null);
`

const Course = model(
  'course',
  {
    places: toMany('place', { inverse: 'course' }),
    numberOfPlaces: rollup('places', { count: true }),
    points: rollup('places', { sum: 'points' }),
    firstDay: rollup('places', { min: 'day' }),
  },
  { table: 'courses' },
)
const Place = model(
  'place',
  { points: z.int(), day: z.string().nullish(), course: toOne('course', { optional: true }) },
  { table: 'places' },
)

const refusal = {
  code: 'invalid-member',
  detail: 'The change violates a rule of the database.',
  meta: { violates: 'databaseRule' },
}

describePostgres('A rule of the database that the value of a rollup violates', () => {
  let database: TestDatabase
  let router: Router
  let api: Client
  let json: Client
  const errors: unknown[] = []

  const open = (policy: Policy) => {
    const opened = createRouter({
      policy,
      store: postgres(database.url, { manage: false }),
      onError: (error) => errors.push(error),
    })
    opened.prepare(Course)
    opened.prepare(Place)
    return opened
  }

  beforeAll(async () => {
    database = await newDatabase()
    await (await sharedServer()).run(tables, [], database.name)
    router = open(rest())
    const other = open(jsonApi())
    api = client(router)
    json = client(other, 'http://localhost', 'application/vnd.api+json')
    return async () => {
      await router.close()
      await other.close()
    }
  })

  const create = (id: string, course: string, values: object = {}) =>
    api.post('/places', { place: { id, points: 1, course, ...values } })
  const courseOf = async (id: string) => (await api.get(`/courses/${id}`)).at('/course')

  const expectRefusal = (response: Awaited<ReturnType<typeof create>>) => {
    expect(response.status, response.text).toBe(422)
    expect(response.errors).toHaveLength(1)
    expect(response.errors[0]).toMatchObject(refusal)
    expect(response.errors[0]!.source).toBeUndefined()
    expect(response.text).not.toMatch(/full_course|guard|fall|numberOfPlaces/)
    expect(errors).toEqual([])
  }

  it('refuses the related item that would be one too many', async () => {
    for (const id of ['a1', 'a2']) expect((await create(id, 'sql')).status).toBe(201)
    expectRefusal(await create('a3', 'sql'))
    expectRefusal(
      await json.post('/places', {
        data: {
          type: 'places',
          id: 'a3',
          attributes: { points: 1 },
          relationships: { course: { data: { type: 'courses', id: 'sql' } } },
        },
      }),
    )
    expect((await api.get('/places/a3')).status).toBe(404)
    expect(await courseOf('sql')).toMatchObject({ numberOfPlaces: 2, points: 2 })
    await create('a4', 'go')
    expectRefusal(
      await json.patch('/places/a4/relationships/course', { data: { type: 'courses', id: 'sql' } }),
    )
    await expect(
      router.items(Place).create({ id: 'a3', points: 1, course: 'sql' }),
    ).rejects.toMatchObject({ problems: [refusal] })
  })

  it('refuses a value that does not fit its column, and one that is taken', async () => {
    expectRefusal(await create('b1', 'go', { points: 40_000 }))
    await create('b2', 'guarded', { points: 5, day: '2026-03-01' })
    expectRefusal(await create('b3', 'go', { day: '2026-03-01' }))
  })

  it('refuses changes and deletions that a trigger refuses', async () => {
    expectRefusal(await api.patch('/places/b2', { place: { points: 4 } }))
    expectRefusal(await api.delete('/places/b2'))
    expectRefusal(await json.delete('/places/b2'))
    expect((await api.get('/places/b2')).at('/place')).toMatchObject({ points: 5 })
  })
})
