import { afterAll, beforeAll, expect, it } from 'vitest'
import { type PulledService, pulledService } from '../../../test/support/pulled-sqlite.ts'

let service: PulledService

beforeAll(async () => {
  service = await pulledService(`
    create table people (id integer primary key not null, name text not null);
    create table passports (
      id integer primary key not null,
      person_id integer unique references people (id) constraint early check (person_id < 100),
      country text not null check (country in ('at', 'de')),
      pages integer not null default 32 check (pages between 16 and 64),
      -- check (pages > 1000)
      issued text not null,
      expires text not null,
      check (expires > issued),
      unique (country, issued)
    );
    insert into people values (1, 'Ann'), (2, 'Bob'), (200, 'Cy');
  `)
})
afterAll(() => service?.close())

const passport = { person: '1', country: 'at', issued: '2024', expires: '2034' }

it('says checks of SQLite in schemas, and notes the rules that it cannot say', () => {
  expect(service.files.get('passport.ts')).toContain(`
// What this model does not say:
// - The rule 'early' is left to the database: a write against it is 422.
// - The rule 'expires > issued' is left to the database: a write against it is 422.

export const Passport = model(
  'passport',
  {
    person: toOne('person', { optional: true, onDelete: 'restrict' }),
    country: z.enum(['at', 'de']),
    pages: z.int().min(16).max(64).optional(),
`)
  expect(service.files.get('passport.ts')).toContain("unique: [['country', 'issued'], ['person']]")
})

it('refuses a write against each of them', async () => {
  const { api } = service
  const post = async (values: object) =>
    (await api.post('/passports', { passport: { ...passport, ...values } })).status
  expect(await post({})).toBe(201)
  expect(await post({ issued: '2025' })).toBe(409)
  expect(await post({ issued: '2025', person: '200' })).toBe(422)
  expect(await post({ issued: '2025', person: '2', expires: '2020' })).toBe(422)
  expect(await post({ person: '2' })).toBe(409)
  expect(await post({ issued: '2025', person: '2', pages: 65 })).toBe(422)
  expect(await post({ issued: '2025', person: '2', country: 'fr' })).toBe(422)
  expect(await post({ issued: '2025', person: '2' })).toBe(201)
})
