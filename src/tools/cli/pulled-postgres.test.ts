import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Router } from 'resourcery'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { client } from '../../../test/support/client.ts'
import { compilerOutput } from '../../../test/support/compiler-output.ts'
import { temporaryFolder } from '../../../test/support/documentation.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { schemaChanges } from '../../../test/support/postgres/statement-log.ts'
import { unusualSchema } from '../../../test/support/postgres/unusual-schema.ts'
import { type Pulled, pull } from '../pull/pull.ts'
import { writeNewFiles } from './pull-command.ts'

const items = `
insert into people (name, password_hash) values ('Ann', 'secret'), ('Bob', null);
insert into films (title, year, code, director_id, writer_id) values
  ('One', 1999, 'a', 1, 2), ('Two', 2001, 'b', 1, null);
update films set sequel_of = 1 where title = 'Two';
insert into film_actor values (1, 1), (1, 2);
insert into "select" values ('x', 'y');
insert into "Mixed Case" values ('i', 'g', 'q');
`

describePostgres('Pulled models', () => {
  let database: TestDatabase
  let folder: string
  let pulled: Pulled
  let router: Router
  let setup = 0
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)

  beforeAll(async () => {
    database = await newDatabase({ logsStatements: true })
    await sql(unusualSchema)
    await sql(items)
    setup = (await database.statements()).length
    folder = temporaryFolder('pulled')
    pulled = await pull(database.url, undefined)
    writeNewFiles(folder, pulled.files)
  }, 120_000)
  afterAll(async () => {
    await router?.close()
    rmSync(folder, { recursive: true, force: true })
    await database?.drop()
  })

  it('say what a table has, and list what they do not say', () => {
    expect(
      pulled.files.get('film.ts'),
    ).toBe(`import { field, hash, model, toMany, toOne } from 'resourcery'
import { z } from 'zod'

// What this model does not say:
// - The rule 'films_lower' is left to the database: a write against it is 422.
// - The rule 'films_recent' is left to the database: a write against it is 422.

export const Film = model(
  'film',
  {
    title: field(z.string(), { description: 'As on the poster.' }),
    year: z.int32().nullable().default(null),
    code: field(z.string().max(8).nullable().default(null), { unique: true }),
    rating: z.int().min(1).max(5).optional(),
    label: field(z.string().nullish(), { readOnly: true }),
    director: toOne('person', { onDelete: 'restrict' }),
    writer: toOne('person', { optional: true, onDelete: 'cascade' }),
    sequelOf: toOne('film', { optional: true, column: 'sequel_of', onDelete: 'set-null' }),
    actors: toMany('person', { through: { table: 'public.film_actor', owner: 'film_id', target: 'actor_id' } }),
    filmsBySequelOf: toMany('film', { inverse: 'sequelOf' }),
    hash: hash(),
  },
  {
    table: 'public.films',
    key: 'film_id',
    ids: 'server',
    order: 'database',
    indexes: [['-year', 'title']],
    unique: [['title', 'year']],
    description: 'What we show.',
  },
)
`)
    expect(pulled.files.get('person.ts')).toContain(`
    // Looks like a secret, so clients neither see nor set it.
    passwordHash: field(z.string().nullish(), { hidden: true }),
    films: toMany('film', { inverse: 'director' }),
    filmsByWriter: toMany('film', { inverse: 'writer' }),
    filmsByActors: toMany('film', { inverse: 'actors' }),
`)
    expect(pulled.notes).toContainEqual({
      model: undefined,
      text: 'public.no_key: no primary key, no unique columns that are not null, and no column has the name of an id. Write a read-only model, and name the columns of its key.',
    })
    expect(pulled.notes).toContainEqual({
      model: 'value',
      text: "The column 'bytes' is left out: no field can hold the type bytea.",
    })
    expect(pulled.files.get('order.ts')).toContain("key: ['Year', 'number']")
    expect(pulled.files.get('long-film.ts')).toContain('readOnly: true')
    expect(pulled.files.get('index.ts')).toContain('// - public.no_key: no primary key')
  })

  it('compile with the strict options of TypeScript', () => {
    expect(compilerOutput(pulled.files)).toBe('')
  }, 120_000)

  it('serve the database at once, from the first request to the first If-Match', async () => {
    process.env.DATABASE_URL = database.url
    const module = await import(join(folder, 'index.ts'))
    router = module.router
    await router.open()
    const api = client(router)
    const film = await api.get('/films/1')
    expect(film.at('/film')).toMatchObject({
      title: 'One',
      year: 1999,
      rating: 3,
      label: 'ONE',
      director: '1',
      actors: ['1', '2'],
    })
    const people = await api.get('/people?include=films,filmsByActors')
    expect(people.at('/people/0')).toMatchObject({ id: '1', name: 'Ann' })
    expect(JSON.stringify(people.body)).not.toContain('secret')
    expect((await api.get('/films?filter[director.name]=Ann&sort=-year')).ids('films')).toEqual([
      '2',
      '1',
    ])
    expect((await api.get('/mixedCases/i')).at('/mixedCase/group')).toBe('g')
    expect((await api.get('/selects/x')).at('/select/where')).toBe('y')
    await sql("update people set name = 'Bill' where id = 2")
    const bob = await api.get('/people/2')
    await sql("update people set name = 'Ben' where id = 2")
    const change = { person: { name: 'Bo' } }
    expect((await api.patch('/people/2', change, { 'If-Match': bob.etag })).status).toBe(412)
    const { etag } = await api.get('/people/2')
    expect((await api.patch('/people/2', change, { 'If-Match': etag })).status).toBe(200)
    expect(await sql('select name, password_hash from people where id = 1')).toEqual([
      { name: 'Ann', password_hash: 'secret' },
    ])
    expect((await api.delete('/people/1')).status).toBe(409)
    expect(await router.plan()).toEqual([])
    expect(schemaChanges((await database.statements()).slice(setup))).toEqual([])
  })

  it('serve columns of unusual types', async () => {
    const api = client(router)
    const value = {
      email: 'x@work.example',
      price: '12345678.90',
      cash: '3.00',
      mood: 'ok',
      moods: ['sad'],
      labels: ['a', 'b'],
      at: '2024-01-01T00:00:00Z',
      address: '10.0.0.1',
      flags: '10101010',
      document: { a: [1] },
      span: '[1,3)',
      letters: 'x',
    }
    const created = await api.post('/values', { value })
    expect(created.status).toBe(201)
    const { cash: _, address: __, ...same } = value
    expect(created.body).toMatchObject({ value: { ...same, cash: '$3.00' } })
    expect((await api.get('/values?filter[price]=12345678.9')).ids('values')).toHaveLength(1)
    const refused = await api.post('/values', { value: { email: 'x@elsewhere.example' } })
    expect(refused.status).toBe(422)
    const period = '[2024-01-01,2024-01-02)'
    const book = (id: string) => api.post('/bookings', { booking: { id, period } })
    expect((await book('5b4d6f6e-0000-4000-8000-000000000000')).status).toBe(201)
    expect((await book('5b4d6f6e-0000-4000-8000-000000000001')).status).toBe(422)
    const person = await api.post('/people', { person: { name: 'Cy' } })
    expect(person.at('/person/id')).toBe('3')
  })

  it('are compared with files that exist, which stay as they are', async () => {
    expect(writeNewFiles(folder, pulled.files)).toBe(
      `Nothing differs from the files in '${folder}'.`,
    )
    await sql('alter table people add column born date')
    const again = await pull(database.url, undefined)
    expect(writeNewFiles(folder, again.files)).toBe(
      [
        `${join(folder, 'person.ts')} would differ:`,
        "- import { field, hash, model, toMany } from 'resourcery'",
        "+ import { date, field, hash, model, toMany } from 'resourcery'",
        '+     born: date({ nullable: true, default: null }),',
        '',
        'Nothing was written.',
      ].join('\n'),
    )
    expect(readFileSync(join(folder, 'person.ts'), 'utf8')).toBe(pulled.files.get('person.ts'))
    expect(readdirSync(folder).toSorted()).toEqual([...pulled.files.keys()].toSorted())
  })

  it('are made of the named tables only, with plain fields for relations to others', async () => {
    const { files, notes } = await pull(database.url, ['films', 'Sales.order_notes'])
    expect([...files.keys()]).toEqual(['order-note.ts', 'film.ts', 'index.ts', 'service.ts'])
    expect(files.get('film.ts')).toContain('\n    directorId: z.int32(),\n')
    expect(notes).toContainEqual({
      model: 'film',
      text: "The column 'director_id' is a plain field: it refers to 'people', which is not pulled, or not by its key.",
    })
    await expect(pull(database.url, ['films', 'ghosts'])).rejects.toThrow(
      "The database has no table 'ghosts'; expected one of ",
    )
    await expect(pull(database.url, ['order_notes', 'fims'])).rejects.toThrow(
      "The database has no table 'order_notes'. Did you mean 'Sales.order_notes'?\nThe database has no table 'fims'. Did you mean 'films'?",
    )
    await expect(pull(database.url, ['no_key'])).rejects.toThrow('No table can be served.')
  })
})
