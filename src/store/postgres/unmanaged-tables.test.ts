import { createRouter, field, hash, model, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { schemaChanges } from '../../../test/support/postgres/statement-log.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { createStoredItem } from '../../stored-item/create-stored-item.ts'
import { findVariant, insertVariant, removeVariants, variantModel } from '../blobs/variant-table.ts'
import { addVersion, findVersions, versionModel } from '../history/version-table.ts'
import type { Store } from '../store.ts'
import { type PostgresOptions, postgres } from './postgres-store.ts'

const tables = `
create schema "Shop";
create table people (id integer primary key, name varchar(40) not null, email text unique);
create table "Shop"."Films" (
  film_id integer primary key,
  title text not null check (length(title) > 1),
  director integer references people on delete restrict,
  writer integer references people,
  sequel_of integer references "Shop"."Films" on delete set null
);
create table film_actor (
  film integer references "Shop"."Films" on delete cascade,
  actor integer references people,
  primary key (film, actor)
);
create table rentals (id serial primary key, film integer references "Shop"."Films");
insert into people values (1, 'Ann', 'ann@example.com'), (2, 'Bob', null), (10, 'Cy', null);
insert into "Shop"."Films" values (1, 'One', 1, 2, null), (2, 'Two', 1, null, 1), (3, 'Three', null, null, null);
insert into film_actor values (1, 10), (1, 2);
`

const variantsSql =
  'create table "_variants" ("id" text collate "C" not null, "original" text collate "C", "key" text collate "C", "size" bigint, "sha256" text collate "C", constraint "_variants_pkey" primary key ("id")); create index "_variants_original_idx" on "_variants" ("original" asc nulls first, "id" asc)'

const Person = model(
  'person',
  {
    name: z.string().max(40),
    email: field(z.string().optional(), { unique: true }),
    directed: toMany('film', { inverse: 'director' }),
    played: toMany('film', { inverse: 'actors' }),
    hash: hash(),
  },
  { table: 'people' },
)
const Film = model(
  'film',
  {
    title: z.string(),
    director: toOne('person', { optional: true, column: 'director', onDelete: 'restrict' }),
    writer: toOne('person', { optional: true, column: 'writer' }),
    sequelOf: toOne('film', { optional: true, column: 'sequel_of' }),
    actors: toMany('person', { through: { table: 'film_actor', owner: 'film', target: 'actor' } }),
    hash: hash(),
  },
  { table: 'Shop.Films', key: 'film_id' },
)

describePostgres('Tables of another program', () => {
  let database: TestDatabase
  let setup = 0
  const stores: Store[] = []
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)
  const open = (options: PostgresOptions = {}) => {
    const store = postgres(database.url, { maxConnections: 3, ...options })
    stores.push(store)
    return store
  }
  const api = (store = open()) => {
    const router = createRouter({ policy: rest(), store })
    for (const prepared of [Person, Film]) router.prepare(prepared)
    return client(router)
  }
  const refusal = async (models: readonly AnyModel[], options: PostgresOptions = {}) => {
    const store = open(options)
    return store.open(describeModels([...models])).then(String, (error: Error) => error.message)
  }

  beforeAll(async () => {
    database = await newDatabase({ logsStatements: true })
    await sql(tables)
    setup = (await database.statements()).length
  }, 120_000)
  afterAll(async () => {
    for (const store of stores) await store.close()
    await database?.drop()
  })

  it('are served as they are, with numbers as ids and without a column for the store', async () => {
    const service = api()
    expect((await service.get('/films/1?include=director,actors')).body).toMatchObject({
      film: { id: '1', title: 'One', director: '1', writer: '2', actors: ['2', '10'] },
    })
    const { etag } = await service.get('/films/1')
    expect((await service.get('/films/1', { 'If-None-Match': etag })).status).toBe(304)
    expect((await service.get('/films/x')).status).toBe(404)
    expect((await service.get('/films/99999999999999999999')).status).toBe(404)
    expect((await service.get('/films/01')).status).toBe(404)
    for (const sort of ['id', 'name']) {
      const page = await service.get(`/people?sort=${sort}&page[size]=2`)
      expect(page.ids('people')).toEqual(['1', '2'])
      const [, next] = /<([^>]*)>; rel="next"/.exec(page.headers.get('link')!)!
      expect((await service.get(next!)).ids('people')).toEqual(['10'])
    }
    const last = await service.get('/people?sort=-id&page[size]=2')
    expect(last.ids('people')).toEqual(['10', '2'])
    expect((await service.get('/films?filter[director]=1&sort=title')).ids('films')).toEqual([
      '1',
      '2',
    ])
    expect((await service.get('/films?filter[director]=x')).ids('films')).toEqual([])
    expect((await service.get('/films?filter[actors][any]=10')).ids('films')).toEqual(['1'])
    for (const [id, relation, films] of [
      ['1', 'directed', ['1', '2']],
      ['10', 'played', ['1']],
    ] as const)
      expect((await service.get(`/people/${id}?include=${relation}`)).ids('films')).toEqual(films)
    expect((await service.get('/films?filter[director.name]=Ann&sort=title')).ids('films')).toEqual(
      ['1', '2'],
    )
  })

  it('are written, with If-Match, under the rules of the database', async () => {
    const service = api()
    const created = await service.post('/films', {
      film: { id: '7', title: 'Seven', director: '2', actors: ['10', '1'] },
    })
    expect(created.status).toBe(201)
    expect(await sql('select film, actor from film_actor where film = 7 order by 2')).toEqual([
      { film: 7, actor: 1 },
      { film: 7, actor: 10 },
    ])
    const before = await service.get('/films/7')
    await sql(`update "Shop"."Films" set title = 'Se7en' where film_id = 7`)
    const change = { film: { actors: ['2'] } }
    const stale = await service.patch('/films/7', change, { 'If-Match': before.etag })
    expect(stale.status).toBe(412)
    const { etag } = await service.get('/films/7')
    const changed = await service.patch('/films/7', change, { 'If-Match': etag })
    expect(changed.body).toMatchObject({ film: { title: 'Se7en', actors: ['2'] } })

    const taken = await service.post('/people', {
      person: { id: '11', name: 'x', email: 'ann@example.com' },
    })
    expect(taken.status).toBe(409)
    expect(taken.errors[0]!.code).toBe('value-taken')
    expect((await service.post('/people', { person: { id: '1', name: 'x' } })).status).toBe(409)
    expect((await service.post('/people', { person: { id: 'x', name: 'x' } })).status).toBe(422)
    expect((await service.patch('/films/7', { film: { title: 'x' } })).status).toBe(422)
    expect((await service.patch('/films/7', { film: { director: '404' } })).status).toBe(422)
  })

  it('are deleted from under foreign keys that are checked at once', async () => {
    const service = api()
    expect((await service.delete('/people/1')).status).toBe(409)
    // The database clears 'sequel_of', and removes rows of 'film_actor'.
    expect((await service.delete('/films/1')).status).toBe(204)
    expect((await service.get('/films/2')).body).toMatchObject({ film: { sequelOf: null } })
    // The service clears 'writer' and leaves the actors before the person goes.
    await service.patch('/films/2', { film: { writer: '10', actors: ['10'] } })
    expect((await service.delete('/people/10')).status).toBe(204)
    expect((await service.get('/films/2')).body).toMatchObject({
      film: { writer: null, actors: [] },
    })
    await sql('insert into rentals (film) values (3)')
    const referenced = await service.delete('/films/3')
    expect(referenced.status).toBe(409)
    expect(referenced.errors[0]).toMatchObject({
      code: 'still-referenced',
      detail:
        'The film is still referenced by another table of the database. Remove these references first.',
    })
    expect((await service.get('/films/3')).status).toBe(200)
  })

  it('are compared with the models, and all faults are told at once', async () => {
    const faulty = [
      model('ghost', { name: z.string() }),
      model(
        'person',
        {
          name: field(z.string(), { unique: true }),
          email: z.string(),
          born: z.iso.date().optional(),
          id2: field(z.boolean().optional(), { column: 'name2' }),
          hash: hash({ column: 'row_version' }),
          friends: toMany('person'),
        },
        { table: 'people' },
      ),
      model(
        'film',
        {
          title: z.int(),
          directors: toMany('person', {
            through: { table: 'rentals', owner: 'film', target: 'id' },
          }),
        },
        { table: 'Shop.Films', key: 'director' },
      ),
    ]
    expect((await refusal(faulty)).split('\n')).toEqual([
      "The store changes no table, because another program made the table 'people'.",
      "The table 'ghosts' of the model 'ghost' does not exist.",
      "The column 'email' of 'people' may be NULL, but the field 'email' of the model 'person' requires a value. Make the field optional or nullable.",
      "The table 'people' has no column 'born' for the field 'born' of the model 'person'.",
      "The table 'people' has no column 'name2' for the field 'id2' of the model 'person'.",
      "No unique index is over the column 'name' of 'people', but the field 'name' of the model 'person' is unique.",
      "The table 'people' has no column 'row_version' for the hash of the model 'person'.",
      "The join table 'people_friends' of the relation 'friends' of the model 'person' does not exist.",
      "No primary key or unique index makes the ids of the model 'film' unique (column 'director' of 'Films'). Add one, or give the model the option { readOnly: true } if the values are unique and clients only read.",
      "The column 'title' of 'Films' has the type text, which cannot hold the field 'title' of the model 'film'.",
      "No primary key and no unique index is over the columns 'film' and 'id' of 'rentals', so the relation 'directors' of the model 'film' could hold an id twice.",
    ])
    expect(await refusal([model('ghost', { name: z.string() })], { manage: false })).toBe(
      "The table 'ghosts' of the model 'ghost' does not exist.",
    )
  })

  it('make the whole store leave all tables as they are', async () => {
    const statements = (await database.statements()).slice(setup)
    expect(statements.length).toBeGreaterThan(50)
    expect(schemaChanges(statements)).toEqual([])
    expect(await sql("select to_regclass('resourcery_settings') as settings")).toEqual([
      { settings: null },
    ])
  })

  it('have the same ETags in processes with the same secret', async () => {
    const etags = await Promise.all(
      ['a', 'a', 'b'].map(async (letter) => {
        const versionSecret = letter.repeat(16)
        const response = await api(open({ versionSecret })).get('/films/2')
        return response.etag
      }),
    )
    expect(etags[0]).toBe(etags[1])
    expect(etags[0]).not.toBe(etags[2])
  })

  it('have variants of images in a table that another program creates', async () => {
    const store = open()
    const described = [...describeModels([Person, Film]), variantModel]
    const fault = await store.open(described).catch((error: Error) => error.message)
    expect(fault).toBe(
      [
        "The store changes no table, because another program made the table 'people'.",
        `The table '_variants', which lists the variants of images, does not exist. Create it: ${variantsSql};`,
      ].join('\n'),
    )
    expect(await store.admin!.plan!(described)).toEqual(
      String(fault)
        .split('\n')
        .map((summary) => ({ kind: 'refused', summary })),
    )
    await sql(variantsSql)
    await store.open(described)
    const variant = { format: 'webp', size: 128 } as const
    const stored = { key: 'k', size: 1, hash: 'h' }
    expect(
      await store.write((transaction) => insertVariant(transaction, 'cover', variant, stored)),
    ).toBe('inserted')
    expect(await findVariant(store, 'cover', variant)).toEqual(stored)
    expect(await store.write((transaction) => removeVariants(transaction, ['cover']))).toEqual([
      'k',
    ])
  })

  it('have versions in a table that another program creates', async () => {
    const store = open()
    const described = [...describeModels([Person, Film]), versionModel]
    const fault = String(await store.open(described).catch((error: Error) => error.message))
    expect(fault).toContain("The table '_versions', in which the service keeps its own data,")
    await sql(fault.slice(fault.indexOf('Create it: ') + 'Create it: '.length))
    await store.open(described)
    const [, film] = described
    const item = createStoredItem(film!, { id: '1', title: 'M' }, 1)
    const version = { timeMs: 1, caller: 'ann', item, changed: undefined }
    await store.write((transaction) => addVersion(transaction, film!, undefined, version))
    const versions = await findVersions(store, film!, '1', { limit: 2 })
    expect(versions).toEqual([{ number: 1, ...version }])
  })
})
