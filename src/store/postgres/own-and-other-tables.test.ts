import { setTimeout as wait } from 'node:timers/promises'
import { createRouter } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { field, hash } from '../../model/declare/field.ts'
import { type AnyModel, model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'
import { createStoredItem, readStoredValues } from '../../stored-item/create-stored-item.ts'
import { variantModel } from '../blobs/variant-table.ts'
import { PostgresConnection } from './connection.ts'
import { type PostgresOptions, postgres } from './postgres-store.ts'

describePostgres('Tables of the store beside those of other programs', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await newDatabase()
  }, 120_000)
  afterEach(() => database?.drop())
  const sql = async (text: string) => (await sharedServer()).run(text, [], database.name)

  async function withStore<T>(
    models: readonly AnyModel[],
    work: (
      store: ReturnType<typeof postgres>,
      described: ReturnType<typeof describeModels>,
    ) => Promise<T>,
    options: PostgresOptions = {},
  ): Promise<T> {
    const store = postgres(database.url, { maxConnections: 1, ...options })
    try {
      return await work(store, describeModels([...models]))
    } finally {
      await store.close()
    }
  }
  const open = (...models: AnyModel[]) =>
    withStore(models, (store, described) => store.open(described))
  const summaries = (...models: AnyModel[]) =>
    withStore(models, async (store, described) =>
      (await store.admin!.plan!(described)).map(({ kind, summary }) => `${kind}: ${summary}`),
    )
  const versionOf = (models: readonly AnyModel[], id: string, options: PostgresOptions = {}) =>
    withStore(
      models,
      async (store, described) => {
        await store.open(described)
        return (await store.find(described[0]!, idEquals(id)))!.hash
      },
      options,
    )

  const Book = model('book', { title: field(z.string(), { unique: true }), hash: hash() })

  it('are still known where a new model takes the former name of another', async () => {
    await open(Book)
    const Volume = model(
      'volume',
      { title: field(z.string(), { unique: true }), hash: hash() },
      { was: 'book' },
    )
    const NewBook = model('book', { title: field(z.string(), { unique: true }) })
    await open(Volume)
    await open(Volume, NewBook)
    await open(Volume, NewBook)
    expect(await summaries(Volume, NewBook)).toEqual([])
  })

  it('are known at once where one is renamed and another takes its name', async () => {
    await open(Book)
    await sql("insert into books (id, title) values ('1', 'Dune')")
    const Volume = model(
      'volume',
      { title: field(z.string(), { unique: true }), hash: hash() },
      { was: 'book' },
    )
    const Other = model('other', { title: field(z.string(), { unique: true }) }, { table: 'books' })
    // A model has the table now, so it stays where it is.
    expect(await summaries(Volume, Other)).not.toContain(
      "instant: Rename the table 'books' to 'volumes'.",
    )
    await open(Volume, Other)
    expect(await sql('select title from books')).toEqual([{ title: 'Dune' }])
    await open(Volume, Other)
  })

  it('are known with their schema and without', async () => {
    await open(Book)
    const Qualified = model(
      'book',
      { title: field(z.string(), { unique: true }), hash: hash() },
      { table: 'public.books' },
    )
    expect(await summaries(Qualified)).toEqual([])
    await open(Qualified)
    expect(await summaries(Book)).toEqual([])
  })

  it('keep their secret where another process manages nothing', async () => {
    await open(Book)
    await sql("insert into books (id, title) values ('1', 'Dune')")
    const managed = await versionOf([Book], '1')
    expect(await versionOf([Book], '1', { manage: false })).toBe(managed)
  })

  it('have no columns of the store where other programs made them', async () => {
    await sql(`
      create table notes (id text primary key, text text not null, _version integer not null);
      create table tags (id text primary key);
      create table notes_tags (note_id text, tag_id text, position text default 'left', primary key (note_id, tag_id));
      insert into notes values ('1', 'a', 7);
      insert into tags values ('x'), ('y');
      alter table notes alter _version set default 1;
    `)
    const Note = model('note', { text: z.string(), tags: toMany('tag'), hash: hash() })
    const Tag = model('tag', {})
    await withStore([Note, Tag], async (store, [note, tag]) => {
      await store.open([note!, tag!])
      const values = { id: '1', text: 'b', tags: ['y', 'x'] }
      const outcome = await store.write((transaction) =>
        transaction.replace(note!, createStoredItem(note!, values, 1)),
      )
      expect(outcome.kind).toBe('written')
      expect(readStoredValues(note!, (await store.find(note!, idEquals('1')))!)).toEqual({
        ...values,
        tags: ['x', 'y'],
      })
    })
    expect(await sql('select _version from notes')).toEqual([{ _version: 7 }])
    expect(await sql('select distinct position from notes_tags')).toEqual([{ position: 'left' }])
  })

  it('refuse a relation whose key is deferrable, which no write could use', async () => {
    await sql(`
      create table notes (id text primary key);
      create table notes_notes (note_id text, related_note_id text, unique (note_id, related_note_id) deferrable);
    `)
    const Note = model('note', { notes: toMany('note') })
    await expect(open(Note)).rejects.toThrow(
      "The key 'notes_notes_note_id_related_note_id_key' of 'notes_notes' is deferrable, so the relation 'notes' of the model 'note' cannot be written. Add the key without 'deferrable'.",
    )
  })

  it('do not lose a row of a relation to another rule of its table', async () => {
    await sql(`
      create table notes (id text primary key);
      create table notes_notes (note_id text, related_note_id text unique, primary key (note_id, related_note_id));
      insert into notes values ('1'), ('2'), ('3');
    `)
    const Note = model('note', { notes: toMany('note') })
    await withStore([Note], async (store, [note]) => {
      await store.open([note!])
      const hold = (id: string) =>
        store.write((transaction) =>
          transaction.replace(note!, createStoredItem(note!, { id, notes: ['3'] }, 1)),
        )
      expect((await hold('1')).kind).toBe('written')
      expect((await hold('2')).kind).toBe('refused')
    })
  })

  it('get an index again that was not built to its end', async () => {
    const Film = model('film', {
      title: field(z.string(), { unique: true }),
      year: field(z.int(), { index: true }),
    })
    await open(Film)
    await sql(
      "update pg_index set indisvalid = false where indexrelid::regclass::text in ('films_title_key', 'films_year_idx')",
    )
    expect(await summaries(Film)).toEqual([
      "online: Drop the invalid index 'films_title_key' of 'films', and create it again.",
      "online: Drop the invalid index 'films_year_idx' of 'films', and create it again.",
    ])
    await open(Film)
    expect(await summaries(Film)).toEqual([])
  })

  const Author = model('author', { name: z.string() })
  const Novel = model('novel', { title: z.string(), author: toOne('author') })
  const serve = async (
    work: (api: ReturnType<typeof client>) => Promise<void>,
    models: readonly AnyModel[] = [Author, Novel],
    options: PostgresOptions = {},
  ) => {
    const store = postgres(database.url, { maxConnections: 1, ...options })
    const router = createRouter({ policy: rest(), store })
    for (const prepared of models) router.prepare(prepared)
    try {
      await work(client(router))
    } finally {
      await router.close()
    }
  }

  it.each(['', ' deferrable initially deferred'])(
    'keep items that other programs refer to%s',
    async (option) => {
      await serve(async (api) => {
        await api.post('/authors', { author: { id: 'a', name: 'Ann' } })
        await api.post('/authors', { author: { id: 'b', name: 'Bob' } })
        await sql(`create table prizes (author text references authors${option})`)
        await sql("insert into prizes values ('a')")
        const refused = await api.delete('/authors/a')
        expect(refused.status).toBe(409)
        expect(refused.errors[0]!.code).toBe('still-referenced')
        expect((await api.get('/authors/a')).status).toBe(200)
        expect((await api.delete('/authors/b')).status).toBe(204)
        await sql('delete from prizes')
        expect((await api.delete('/authors/a')).status).toBe(204)
      })
    },
  )

  it('refuse what another program forbids at the commit', async () => {
    await serve(async (api) => {
      await api.post('/authors', { author: { id: 'a', name: 'Ann' } })
      await sql('alter table authors add unique (name) deferrable initially deferred')
      const refused = await api.post('/authors', { author: { id: 'b', name: 'Ann' } })
      expect(refused.status).toBe(422)
      expect((await api.post('/authors', { author: { id: 'b', name: 'Bob' } })).status).toBe(201)
    })
  })

  it('are not blamed for constraints of other tables with the same names', async () => {
    await serve(async (api) => {
      await api.post('/authors', { author: { id: 'a', name: 'Ann' } })
      await sql(`
        create table logs (novel_id text constraint novels_author_id_fkey references authors);
        create function log() returns trigger language plpgsql as $$
          begin insert into logs values (new.id); return new; end $$;
        create trigger log before insert on novels for each row execute function log();
      `)
      const refused = await api.post('/novels', { novel: { id: 'n', title: 'N', author: 'a' } })
      expect(refused.status).toBe(422)
      expect(refused.errors[0]).toMatchObject({ code: 'invalid-member' })
      expect(JSON.stringify(refused.body)).not.toContain('author')
    })
  })

  it('have another version where a row of a join table changed', async () => {
    await sql(`
      create table notes (id text primary key, revision integer not null default 1);
      create table notes_notes (note_id text, related_note_id text, primary key (note_id, related_note_id));
      insert into notes values ('1');
    `)
    const Note = model('note', { notes: toMany('note'), hash: hash({ column: 'revision' }) })
    const options = { versionSecret: 'sixteen-characters' }
    const before = await versionOf([Note], '1', options)
    expect(await versionOf([Note], '1', options)).toBe(before)
    await sql("insert into notes_notes values ('1', '1')")
    expect(await versionOf([Note], '1', options)).not.toBe(before)
  })

  it('cannot be those of two models, and are not those of image variants', async () => {
    const Poem = model('poem', { title: z.string() }, { table: 'books' })
    await expect(open(Book, Poem)).rejects.toThrow(
      "The table 'books' is that of the model 'book' and of the model 'poem'. Give one of them another, or let the store change no table with { manage: false }.",
    )
    const Variant = model('variant', { color: z.string() })
    await withStore([Variant], async (store, described) => {
      await store.open([...described, variantModel])
    })
    await sql("insert into variants (id, color) values ('1', 'red')")
  })

  it('are refused where no step gives them the form of the models', async () => {
    const tags = toMany('tag', { through: { table: 'book_tag', owner: 'book', target: 'tag' } })
    const Tagged = (fields = {}, options = {}) =>
      model(
        'book',
        { title: z.string(), main: toOne('tag', { optional: true }), tags, ...fields },
        options,
      )
    const Tag = model('tag', {})
    const Topic = model('topic', {})
    await expect(open(Tagged({ hash: hash({ column: 'revision' }) }), Tag)).rejects.toThrow(
      "The table 'books' has no column 'revision' for the hash of the model 'book'.",
    )
    await open(Tagged(), Tag)
    for (const [changed, refusal] of [
      [
        Tagged({ hash: hash({ column: 'revision' }) }),
        "The table 'books' has no column 'revision' for the hash of the model 'book'.",
      ],
      [
        Tagged({}, { key: 'isbn' }),
        "The table 'books' has no column 'isbn' for the id of the model 'book'.",
      ],
      [
        Tagged({
          tags: toMany('tag', { through: { table: 'book_tag', owner: 'b', target: 't' } }),
        }),
        "The table 'book_tag' has no column 'b' for the relation 'tags' of the model 'book'.",
      ],
      [
        Tagged({ main: toOne('topic', { optional: true, column: 'main_id' }) }),
        "The column 'main_id' of 'books' has a foreign key to 'tags', but 'main' of the model 'book' leads to 'topics'. Drop the key 'books_main_id_fkey', or name another column.",
      ],
    ] as const) {
      expect(await summaries(changed, Tag, Topic)).toContain(`refused: ${refusal}`)
      await expect(open(changed, Tag, Topic)).rejects.toThrow(refusal)
    }
    expect(await summaries(Tagged(), Tag)).toEqual([])
  })

  it('have a secret that nobody guesses', () => {
    expect(() => postgres(database.url, { versionSecret: 'too short' })).toThrow(
      "The option 'versionSecret' of postgres() must be a string of at least 16 characters.",
    )
  })

  it('are prepared without the time limit of statements', async () => {
    const waiting = sql(
      'begin; select pg_advisory_xact_lock(1919251317, 1); select pg_sleep(1.2); commit',
    )
    await wait(300)
    await withStore([Book], (store, described) => store.open(described), {
      statementTimeoutMs: 200,
    })
    await waiting
    expect(await summaries(Book)).toEqual([])
  })

  it('are opened at once where nothing is to do, whoever changes tables meanwhile', async () => {
    await open(Book)
    const waiting = sql(
      'begin; select pg_advisory_xact_lock(1919251317, 1); select pg_sleep(60); commit',
    ).catch((error: Error) => error.message)
    await wait(300)
    await withStore([Book], (store, described) => store.open(described))
    await sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like '%pg_sleep(60)%' and pid <> pg_backend_pid()",
    )
    expect(await waiting).toContain('terminat')
  }, 30_000)

  it('are not locked by a store that changes none', async () => {
    await open(Book)
    for (const [manage, locks] of [
      [true, 1],
      [false, 0],
    ] as const) {
      const runs = vi.spyOn(PostgresConnection.prototype, 'run')
      await withStore([Book], (store, described) => store.open(described), { manage })
      const texts = runs.mock.calls.flatMap(([statements]) => statements.map(({ sql }) => sql))
      runs.mockRestore()
      expect([manage, texts.filter((text) => text.includes('(1919251317, 1)')).length]).toEqual([
        manage,
        locks,
      ])
    }
  })
})
