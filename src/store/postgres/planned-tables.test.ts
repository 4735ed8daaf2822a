import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { schemaChanges } from '../../../test/support/postgres/statement-log.ts'
import { field, hash } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { postgres } from './postgres-store.ts'

describePostgres('The plan of a start', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await newDatabase()
  }, 120_000)
  afterAll(() => database?.drop())
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)
  const withStore = async <T>(
    models: readonly AnyModel[],
    work: (
      store: ReturnType<typeof postgres>,
      described: ReturnType<typeof describeModels>,
    ) => Promise<T>,
  ): Promise<T> => {
    const store = postgres(database.url, { maxConnections: 1 })
    try {
      return await work(store, describeModels([...models]))
    } finally {
      await store.close()
    }
  }
  const plan = (...models: AnyModel[]) =>
    withStore(models, (store, described) => store.admin!.plan!(described))
  const open = (...models: AnyModel[]) =>
    withStore(models, (store, described) => store.open(described))

  const Genre = model('genre', { name: z.string() })
  const Volume = model('volume', {
    title: field(z.string(), { unique: true }),
    pages: field(z.int().optional(), { index: true }),
    note: z.string(),
    genres: toMany('genre'),
    main: toOne('genre', { optional: true }),
    hash: hash(),
  })
  const Book = model(
    'book',
    {
      title: field(z.string(), { unique: true }),
      pageCount: field(z.int().optional(), { index: true, was: 'pages' }),
      isbn: field(z.string(), { missing: 'allow' }),
      genres: toMany('topic'),
      main: toOne('topic', { optional: true }),
      hash: hash(),
    },
    { was: 'volume' },
  )
  const Topic = model('topic', { name: z.string().optional() }, { was: 'genre' })

  it('of new tables is instant, and changes nothing', async () => {
    const steps = await plan(Genre, Volume)
    expect(steps.map(({ kind, summary }) => `${kind}: ${summary}`)).toEqual([
      "instant: Create the table 'resourcery_settings', in which the store notes the tables that it makes.",
      "instant: Create the table 'genres' of the model 'genre'.",
      "instant: Create the table 'volumes' of the model 'volume'.",
      "instant: Create the join table 'volumes_genres' of 'volume.genres'.",
      "instant: Add a foreign key to the column 'main_id' of 'volumes'.",
    ])
    expect(schemaChanges(await database.statements())).toEqual([])
    await open(Genre, Volume)
    expect(await plan(Genre, Volume)).toEqual([])
  })

  it('renames, adds and widens, and tells what it does not do by itself', async () => {
    await withStore([Genre, Volume], async (store, [genre, volume]) => {
      await store.open([genre!, volume!])
      await store.write(async (transaction) => {
        await transaction.insert(genre!, createStoredItem(genre!, { id: 'g', name: 'G' }, 1))
        for (let index = 1; index <= 7; index++) {
          const values = {
            id: `v-${index}`,
            title: `t ${index}`,
            note: 'x',
            genres: ['g'],
            pages: 3,
          }
          await transaction.insert(volume!, createStoredItem(volume!, values, 1))
        }
      })
    })
    const steps = await plan(Topic, Book)
    expect(steps.map(({ kind, summary }) => `${kind}: ${summary}`)).toEqual([
      "instant: Rename the table 'genres' to 'topics'.",
      "instant: Rename the table 'volumes' to 'books'.",
      "instant: Rename the column 'pages' of 'books' to 'page_count'.",
      "instant: Rename the table 'volumes_genres' to 'books_genres'.",
      "instant: Rename the column 'volume_id' of 'books_genres' to 'book_id'.",
      "instant: Rename the column 'genre_id' of 'books_genres' to 'topic_id'.",
      "instant: Allow NULL in the column 'name' of 'topics'.",
      "instant: Add the column 'isbn' to 'books'.",
      "instant: Allow NULL in the column 'note' of 'books', which the model does not have any more.",
      "never: Drop the column 'note' of 'books', which no field of the model 'book' has.",
    ])
    const Strict = model('book', { ...Book.fields, isbn: z.string() }, { was: 'volume' })
    expect(await plan(Topic, Strict)).toContainEqual({
      kind: 'refused',
      summary:
        "The field 'isbn' of the model 'book' requires a value, but 7 items have none: v-1, v-2, v-3, v-4, v-5, …. Give it a default, make it optional, fill it in with { backfill: (old) => … }, or allow these items with { missing: 'allow' }.",
    })
    await expect(open(Topic, Strict)).rejects.toThrow('but 7 items have none')
  })

  it('is what a start does, and no value is lost', async () => {
    await withStore([Topic, Book], async (store, [topic, book]) => {
      await store.open([topic!, book!])
      const item = (await store.find(book!, idEquals('v-1')))!
      expect(readStoredValues(book!, item)).toMatchObject({
        title: 't 1',
        pageCount: 3,
        genres: ['g'],
      })
      const created = await store.write(async (transaction) => [
        await transaction.insert(
          book!,
          createStoredItem(book!, { id: 'b', title: 'n', isbn: '1' }, 1),
        ),
        await transaction.insert(
          book!,
          createStoredItem(book!, { id: 'c', title: 'n', isbn: '2' }, 1),
        ),
      ])
      expect(created[0]!.kind).toBe('written')
      expect(created[1]).toEqual({ kind: 'taken', fields: ['title'] })
    })
    expect((await plan(Topic, Book)).map(({ kind }) => kind)).toEqual(['never'])
  })

  it('creates indexes and foreign keys of large tables while others write', async () => {
    await sql('drop index books_pages_idx')
    await sql('alter table books drop constraint volumes_main_id_fkey')
    expect(await plan(Topic, Book)).toMatchObject([
      {
        kind: 'online',
        summary: "Create an index over 'page_count' of 'books'.",
        sql: [
          'create index concurrently "books_page_count_idx" on "books" ("page_count" asc nulls first, "id" asc)',
        ],
      },
      {
        kind: 'online',
        sql: [
          'alter table "books" add constraint "books_main_id_fkey" foreign key ("main_id") references "topics" ("id") deferrable initially deferred not valid',
          'alter table "books" validate constraint "books_main_id_fkey"',
        ],
      },
      { kind: 'never' },
    ])
    for (const step of await plan(Topic, Book))
      if (step.kind === 'online') for (const statement of step.sql) await sql(statement)
    expect((await plan(Topic, Book)).map(({ kind }) => kind)).toEqual(['never'])
  })

  it('refuses a field that its column cannot hold, and so does the start', async () => {
    const changed = model('topic', { name: z.int().optional() })
    const refusal =
      "The column 'name' of 'topics' has the type text, which cannot hold all values of the field 'name' of the model 'topic'. Add a field with another name, and let its option 'backfill' make the values from the old ones."
    expect(await plan(changed)).toContainEqual({ kind: 'refused', summary: refusal })
    await expect(open(changed)).rejects.toThrow(refusal)
  })

  it('names the tables that no model has any more', async () => {
    const steps = await plan(Topic)
    expect(steps).toEqual([
      {
        kind: 'never',
        summary: 'Drop the table "books", which the store made and which no model has.',
        sql: [
          'drop table "books"',
          `delete from "resourcery_settings" where key = 'table "books"'`,
        ],
      },
      {
        kind: 'never',
        summary: 'Drop the table "books_genres", which the store made and which no model has.',
        sql: [
          'drop table "books_genres"',
          `delete from "resourcery_settings" where key = 'table "books_genres"'`,
        ],
      },
    ])
    for (const step of steps.toReversed())
      if (step.kind === 'never') for (const statement of step.sql) await sql(statement)
    expect(await plan(Topic)).toEqual([])
  })
})
