import {
  createRouter,
  field,
  hash,
  model,
  planRouters,
  type Router,
  toMany,
  toOne,
} from 'resourcery'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePsql } from '../../../test/support/postgres/describe-postgres.ts'
import { psql } from '../../../test/support/postgres/psql.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { transactionsEndedIn } from '../../../test/support/postgres/transactions-ended.ts'
import type { AnyModel } from '../../model/declare/model.ts'
import type { Store } from '../store.ts'
import { type PostgresOptions, postgres } from './postgres-store.ts'

const captured = { changes: { capture: 'triggers' } } as const

/** A database with services beside which other programs write. */
async function world() {
  const database = await newDatabase()
  const server = await sharedServer()
  const routers: Router[] = []
  onTestFinished(async () => {
    for (const router of routers) await router.close()
    await database.drop()
  })
  const service = (models: readonly AnyModel[], options: PostgresOptions = {}) => {
    const store = postgres(database.url, { maxConnections: 4, ...options })
    const router = createRouter({ policy: rest(), store })
    for (const prepared of models) router.prepare(prepared)
    routers.push(router)
    return { router, store, api: client(router) }
  }
  const entriesOf = async ({ changes }: Store) => {
    await transactionsEndedIn(database.name)
    const read = await changes!.read(undefined, 20_000)
    if (read.kind !== 'changes') throw new Error(read.kind)
    return read.entries
  }
  return {
    service,
    wordsOf: async (store: Store) =>
      (await entriesOf(store)).map((entry) =>
        entry.kind === 'erased'
          ? `erased ${entry.model}`
          : `${entry.kind} ${entry.model} ${entry.id}`,
      ),
    entriesOf,
    sql: (...commands: readonly string[]) => psql(database.name, ...commands),
    rows: (text: string) => server.run(text, [], database.name),
  }
}

const Note = model('note', { text: z.string(), hash: hash() }, captured)

describePsql('Triggers that log changes', () => {
  it('are planned, made once, and dropped where no model asks for them any more', async () => {
    const { service, sql, rows, wordsOf } = await world()
    const triggers = "select tgname from pg_trigger where tgname like '0_resourcery%' order by 1"
    const first = service([Note])
    const planned = (await planRouters([first.router]))!.map(({ summary }) => summary)
    expect(planned).toContain("Create the triggers of 'notes' that log what other programs write.")
    await first.router.open()
    const made = await rows(triggers)
    expect(made).toHaveLength(3)
    expect(await planRouters([service([Note]).router])).toEqual([])
    await service([Note]).router.open()
    expect(await rows(triggers)).toEqual(made)
    await sql("insert into notes (id, text) values ('a', 'A')")
    expect(await wordsOf(first.store)).toEqual(['create note a'])
    const Plain = model('note', { text: z.string(), hash: hash() }, { changes: true })
    const second = service([Plain])
    expect((await planRouters([second.router]))!.map(({ summary }) => summary)).toEqual([
      "Drop the triggers of 'notes' that log what other programs write, which the model does not ask for any more.",
    ])
    await second.router.open()
    await sql("insert into notes (id, text) values ('b', 'B')")
    // Rows that were logged before are read all the same.
    expect(await wordsOf(second.store)).toEqual(['create note a'])
  })

  it('are replaced where they are disabled or a column of the key has another type', async () => {
    const { service, sql, wordsOf } = await world()
    await service([Note]).router.open()
    await sql('alter table notes disable trigger all')
    const again = service([Note])
    await again.router.open()
    await sql("insert into notes (id, text) values ('a', 'A')")
    expect(await wordsOf(again.store)).toEqual(['create note a'])
  })

  it('log what a role without rights to the log writes, which cannot use them otherwise', async () => {
    const { service, sql, wordsOf } = await world()
    const { router, store } = service([Note])
    await router.open()
    const role = `writer_${process.pid}`
    await sql(
      `create role ${role}; grant insert on notes to ${role}; grant create on schema public to ${role}`,
    )
    try {
      await sql(
        `set role ${role}; create temp table resourcery_changes_pending (id text); insert into notes (id, text) values ('a', 'A')`,
      )
      expect(await wordsOf(store)).toEqual(['create note a'])
      const [name] = (
        await sql(
          '\\pset tuples_only on',
          "select proname from pg_proc where proname like 'resourcery_capture%' limit 1",
        )
      )
        .trim()
        .split('\n')
      await expect(
        sql(
          `set role ${role}; create table fake (id text); create trigger t after insert on fake for each row execute function ${name}()`,
        ),
      ).rejects.toThrow('permission denied for function')
    } finally {
      await sql(`drop owned by ${role}; drop role ${role}`)
    }
  })

  it('do not exist on tables of another program until a person makes them', async () => {
    const { service, sql, wordsOf } = await world()
    await sql(
      `create schema shop;
       create table shop.people (id integer primary key, name text not null);
       create table shop.films (film_id integer primary key, title text not null, director integer references shop.people on delete set null);
       create table shop.film_actor (film integer references shop.films on delete cascade, actor integer references shop.people on delete cascade, primary key (film, actor))`,
    )
    const Person = model('person', { name: z.string() }, { table: 'shop.people', ...captured })
    const Film = model(
      'film',
      {
        title: z.string(),
        director: toOne('person', { optional: true, column: 'director' }),
        actors: toMany('person', {
          through: { table: 'shop.film_actor', owner: 'film', target: 'actor' },
        }),
      },
      { table: 'shop.films', key: 'film_id', ...captured },
    )
    const start = () => service([Person, Film], { manage: false })
    await expect(start().router.open()).rejects.toThrow(
      /'resourcery_changes', .* does not exist.*\n.*'resourcery_changes_pending'.*\n.*\n.*triggers of 'people' .* are missing\. `resourcery plan --sql`.*\n.*'films'.*\n.*'film_actor'/,
    )
    const steps = (await planRouters([start().router]))!
    expect(steps.every(({ kind }) => kind === 'refused')).toBe(true)
    for (const step of steps) for (const text of step.sql ?? []) await sql(text)
    expect(await planRouters([start().router])).toEqual([])
    const { router, store } = start()
    await router.open()
    await sql(
      "insert into shop.people values (1, 'Ann'), (2, 'Bob')",
      "insert into shop.films values (1, 'One', 1)",
      'insert into shop.film_actor values (1, 1), (1, 2)',
      // The database itself sets null and deletes rows.
      'delete from shop.people where id = 1',
    )
    expect(await wordsOf(store)).toEqual([
      'create person 1',
      'create person 2',
      'create film 1',
      'update film 1',
      'delete person 1',
      'update film 1',
      'update film 1',
    ])
    await sql('alter table shop.films rename column title to name')
    await sql("insert into shop.films values (2, 'Two', null)")
    const Renamed = model(
      'film',
      { name: z.string() },
      { table: 'shop.films', key: 'film_id', ...captured },
    )
    await expect(service([Renamed], { manage: false }).router.open()).rejects.toThrow(
      "The triggers of 'films' that log what other programs write are out of date.",
    )
  })

  it('are refused for a view', async () => {
    const { service, sql } = await world()
    const { router } = service([Note])
    await router.open()
    await sql('create view seen as select id, text from notes')
    const Seen = model('seen', { text: z.string() }, { table: 'seen', readOnly: true, ...captured })
    await expect(service([Seen], { manage: false }).router.open()).rejects.toThrow(
      "'seen' is a view, and has no triggers that could log what other programs write.",
    )
  })

  it('log what triggers and foreign keys of the database do beside a write of the service', async () => {
    const { service, sql, wordsOf } = await world()
    const Copy = model('copy', { text: z.string() }, captured)
    const { router, store } = service([Note, Copy])
    await router.open()
    await sql(
      `create function copy_note() returns trigger language plpgsql as $$ begin insert into copies (id, text) values (new.id, new.text); return null; end $$;
       create trigger copy_note after insert on notes for each row execute function copy_note()`,
    )
    await router.items(Note).create({ id: 'a', text: 'A' })
    expect((await wordsOf(store)).toSorted()).toEqual(['create copy a', 'create note a'])
  })

  it('are in the order of commits beside writers of the service, with none missing', async () => {
    const { service, sql, entriesOf } = await world()
    const { router, store } = service([Note])
    await router.open()
    const ids = Array.from({ length: 8 }, (_, index) => `n${index}`)
    for (const id of ids) await router.items(Note).create({ id, text: '0' })
    const writes = { psql: 150, service: 60 }
    // Two rows in each transaction, in an order that depends on the rows only.
    const program = `do $$ begin for i in 1..${writes.psql} loop
      perform 1 from notes where id in ('n' || i % 8, 'n' || i % 5) order by id for update;
      update notes set text = text || 'p' where id = 'n' || i % 8;
      update notes set text = text || 'q' where id = 'n' || i % 5;
      commit; end loop; end $$`
    let isDone = false
    const seen: string[] = []
    const follow = async () => {
      let after: string | undefined
      for (;;) {
        const wasDone = isDone
        if (wasDone) await entriesOf(store)
        const read = await store.changes!.read(after, 40)
        if (read.kind !== 'changes') throw new Error(read.kind)
        seen.push(...read.entries.map(({ position }) => position))
        after = read.next
        if (wasDone && read.isEnd) return
      }
    }
    const write = async (from: number) => {
      for (let index = 0; index < writes.service; index++)
        await router.items(Note).update(ids[(from + index) % 8]!, { text: `${from}.${index}` })
    }
    const following = follow()
    await Promise.all([sql(program), sql(program), sql(program), write(0), write(3)])
    isDone = true
    await following
    const entries = await entriesOf(store)
    expect(entries).toHaveLength(8 + 3 * 2 * writes.psql + 2 * writes.service)
    expect(seen).toEqual(entries.map(({ position }) => position))
    const current = new Map<string, string | undefined>()
    for (const entry of entries) {
      if (entry.kind === 'erased') throw new Error('erased')
      expect(entry.before?.text).toBe(current.get(entry.id))
      current.set(entry.id, entry.after?.text)
    }
    const finished = entries.map(({ transaction }) => transaction)
    // What one transaction has changed stands together.
    expect(finished.filter((each, index) => each !== finished[index - 1])).toHaveLength(
      new Set(finished).size,
    )
  }, 60_000)

  it('lose nothing where constraints are checked at once, or other triggers write at the commit', async () => {
    const { service, sql, wordsOf } = await world()
    const { router, store } = service([Note])
    await router.open()
    await sql(
      `create function follow() returns trigger language plpgsql as $$ begin insert into notes (id, text) values (new.id || '2', ''); return null; end $$;
       create constraint trigger follow after insert on notes deferrable initially deferred for each row when (new.id not like '%2') execute function follow()`,
      `begin; insert into notes (id, text) values ('a', ''); set constraints all immediate;
       insert into notes (id, text) values ('b', ''), ('c', ''); savepoint s;
       insert into notes (id, text) values ('d', ''); rollback to s;
       set constraints all deferred; insert into notes (id, text) values ('e', ''); commit`,
    )
    expect((await wordsOf(store)).toSorted()).toEqual(
      ['a', 'a2', 'b', 'b2', 'c', 'c2', 'e', 'e2'].map((id) => `create note ${id}`),
    )
  })

  it('have a start fill in what a new model needs, which is no change', async () => {
    const { service, sql, wordsOf } = await world()
    await service([Note]).router.open()
    await sql("insert into notes (id, text) values ('a', 'A')")
    const Longer = model(
      'note',
      {
        text: z.string(),
        size: field(z.int(), { backfill: ({ text }) => (text as string).length }),
        hash: hash(),
      },
      captured,
    )
    const { router, store } = service([Longer])
    await router.open()
    expect(await router.items(Longer).get('a')).toMatchObject({ size: 1 })
    await sql("update notes set size = 7 where id = 'a'")
    // The row that was logged lacks what the model requires now.
    expect(await wordsOf(store)).toEqual(['erased note', 'update note a'])
  })

  it('are refused where two routers over one store differ', async () => {
    const { service } = await world()
    const { router, store } = service([Note])
    await router.open()
    const Plain = model('note', { text: z.string(), hash: hash() }, { changes: true })
    const other = createRouter({ policy: rest(), store })
    other.prepare(Plain)
    await expect(other.open()).rejects.toThrow(
      "only one has { capture: 'triggers' } for the model 'note'",
    )
  })

  it('keep rows of an older form, which readers read again where it has too little', async () => {
    const { service, sql, entriesOf } = await world()
    const Old = model('note', { text: z.string(), size: z.string().optional() }, captured)
    const old = service([Old])
    await old.router.open()
    await sql("insert into notes (id, text, size) values ('a', 'A', '7')")
    await old.router.close()
    const Wider = model(
      'note',
      { text: z.string(), size: z.string().optional(), more: z.string().optional() },
      captured,
    )
    const wider = service([Wider])
    await wider.router.open()
    expect(await entriesOf(wider.store)).toMatchObject([
      { kind: 'create', id: 'a', after: { text: '{"id":"a","text":"A","size":"7"}' } },
    ])
    await wider.router.close()
    await sql(
      "update notes set size = '7'",
      'alter table notes alter size type integer using size::integer',
    )
    await sql("insert into notes (id, text, size) values ('b', 'B', 8)")
    const Numeric = model('note', { text: z.string(), size: z.int().optional() }, captured)
    const numeric = service([Numeric])
    await numeric.router.open()
    expect((await entriesOf(numeric.store)).at(-1)).toMatchObject({
      id: 'b',
      after: { text: '{"id":"b","text":"B","size":8}' },
    })
    await numeric.router.close()
    const Renamed = model('note', { body: field(z.string(), { was: 'text' }) }, captured)
    const renamed = service([Renamed])
    await renamed.router.open()
    expect(await entriesOf(renamed.store)).toMatchObject([{ kind: 'erased' }, { kind: 'erased' }])
    await sql("insert into notes (id, body) values ('c', 'C')")
    expect((await entriesOf(renamed.store)).at(-1)).toMatchObject({ kind: 'create', id: 'c' })
  })
})
