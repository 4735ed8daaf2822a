import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { pulledPostgres } from '../../../test/support/postgres/pulled-postgres.ts'
import { type PulledService, pulledService } from '../../../test/support/pulled-sqlite.ts'

const schema = `
  create table languages (language_id integer primary key, name text not null);
  create table films (
    film_id integer primary key,
    title text not null,
    language_id integer references languages
  );
  create table visits (page_id integer, visitor_id integer);
  create table logs (film_id integer references films, text text);
  create view family_films as select title, language_id, film_id from films;
  create view titles as select title, language_id from films;
  create view numbers as select visitor_id from visits;
  insert into languages values (1, 'English'), (2, 'German');
  insert into films values (1, 'One', 1), (2, 'Two', 1), (3, 'Three', 2);
  insert into visits values (7, 1), (7, 2), (7, 3);
  insert into logs values (1, 'a'), (2, 'b');
`
const suggestion = 'Write a read-only model, and name the columns of its key.'

function guesses(make: () => Promise<PulledService>, prefix: string): void {
  let service: PulledService
  beforeAll(async () => {
    service = await make()
  }, 120_000)
  afterAll(() => service?.close())

  it('are columns whose values differ in all rows, and refer to no other table', async () => {
    expect(service.files.get('family-film.ts')).toContain("key: 'film_id'")
    expect(service.files.get('visit.ts')).toContain("key: 'visitor_id'")
    expect((await service.api.get('/familyFilms')).ids('familyFilms')).toEqual(['1', '2', '3'])
    expect((await service.api.get('/familyFilms?sort=title')).ids('familyFilms')).toEqual([
      '1',
      '3',
      '2',
    ])
  })

  it('are not made where each of them repeats or refers, and the reason is told', () => {
    expect([...service.files.keys()]).not.toContain('title.ts')
    expect([...service.files.keys()]).not.toContain('log.ts')
    const left = service.notes.flatMap(({ model, text }) => (model === undefined ? [text] : []))
    expect(left.toSorted()).toEqual([
      `${prefix}logs: no primary key, no unique columns that are not null, and no column with the name of an id is unique: 'film_id' refers to another table. ${suggestion}`,
      `${prefix}titles: a view, and no column with the name of an id is unique: 'language_id' of 'films' refers to another table. ${suggestion}`,
    ])
  })
}

describe('Guessed keys, on SQLite', () => guesses(() => pulledService(schema), ''))
describePostgres('Guessed keys, on PostgreSQL', () => {
  guesses(() => pulledPostgres(schema), 'public.')

  it('are not counted in a view whose query fails', async () => {
    const service = await pulledPostgres(`
      create table films (film_id integer primary key);
      insert into films values (0);
      create view shares as select 1 / film_id as share_id from films;
      create view counts as select film_id as count_id from films union all select 0;
    `)
    try {
      expect(service.notes.map(({ text }) => text).toSorted()).toEqual([
        `public.counts: a view, and no column with the name of an id is unique: 'count_id' has 1 different value in 2 rows. ${suggestion}`,
        `public.shares: a view, and no column with the name of an id is unique: the values of 'share_id' could not be counted (division by zero). ${suggestion}`,
      ])
    } finally {
      await service.close()
    }
  })
})
