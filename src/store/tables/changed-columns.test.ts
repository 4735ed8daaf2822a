import { setTimeout as wait } from 'node:timers/promises'
import { model, toMany } from 'resourcery'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { describeTables } from '../../../test/support/describe-tables.ts'

describeTables('A change of an item', ({ serve, sql }, engine) => {
  const isPostgres = engine === 'postgres'

  it('leaves all columns alone that it does not change, whatever reading loses of them', async () => {
    await sql(
      isPostgres
        ? `create table docs (id text primary key, title text, price float8, valid_until timestamptz,
            founded date, body jsonb, made timestamptz not null default now())`
        : 'create table docs (id text primary key, title text, price real, valid_until text, founded text, body text, made text not null default current_timestamp)',
    )
    await sql(
      isPostgres
        ? `insert into docs values ('1', 'a', 'Infinity', 'infinity', '0044-03-15 BC', '{"id": 12345678901234567890}', 'infinity')`
        : `insert into docs values ('1', 'a', 9e999, x'00ff', 'n/a', '{"id": 12345678901234567890}', x'0102')`,
    )
    const Doc = model('doc', {
      title: z.string().nullable(),
      price: z.number().nullable(),
      validUntil: z.iso.datetime({ offset: true }).nullable(),
      founded: z.string().nullable(),
      body: z.unknown(),
      made: z.string().nullish(),
    })
    const { api } = serve([Doc])
    const others = isPostgres
      ? 'select price::text, valid_until::text, founded::text, body::text, made::text from docs'
      : 'select price, hex(valid_until), founded, body, hex(made) from docs'
    const before = await sql(others)
    const changed = await api.patch('/docs/1', { doc: { title: 'b' } })
    expect(changed.status, changed.text).toBe(200)
    expect(await sql('select title from docs')).toEqual([['b']])
    expect(await sql(others)).toEqual(before)
  })

  it.each([
    [false, ['1', '5', '4']],
    [true, ['5', '4', '2']],
  ])(
    'writes the join rows that differ, in the order of the relation (managed: %s)',
    async (manage, next) => {
      const Genre = model('genre', { name: z.string() })
      const Book = model('book', {
        title: z.string(),
        genres: toMany('genre', {
          through: { table: 'book_genres', owner: 'book', target: 'genre' },
        }),
      })
      if (!manage) {
        await sql('create table genres (id text primary key, name text not null)')
        await sql('create table books (id text primary key, title text not null)')
        await sql(
          'create table book_genres (book text not null references books, genre text not null references genres, primary key (book, genre))',
        )
      }
      const { api } = serve([Genre, Book])
      for (const id of ['1', '2', '3', '4', '5'])
        await api.post('/genres', { genre: { id, name: id } })
      await api.post('/books', { book: { id: 'b', title: 'x', genres: ['1', '2', '4'] } })
      const changed = await api.patch('/books/b', { book: { genres: next } })
      const expected = manage ? next : next.toSorted()
      expect([changed.status, changed.at('/book/genres')]).toEqual([200, expected])
      const reordered = await api.patch('/books/b', { book: { genres: expected.toReversed() } })
      expect(reordered.at('/book/genres')).toEqual(manage ? expected.toReversed() : expected)
      const fewer = await api.patch('/books/b', { book: { genres: ['4'] } })
      expect(fewer.at('/book/genres')).toEqual(['4'])
      expect(await sql('select genre from book_genres')).toEqual([['4']])
    },
  )

  it('keeps the rows that another program adds to a relation meanwhile', async () => {
    if (!isPostgres) return
    await sql(`create table people (id int primary key, name text not null);
      create table films (id int primary key, title text not null);
      create table fa (film int not null references films, person int not null references people, primary key (film, person));
      insert into people select n, 'p' from generate_series(1, 5) n; insert into films values (1, 'a'); insert into fa values (1, 3), (1, 4);
      create function slow() returns trigger language plpgsql as $$ begin perform pg_sleep(1); return new; end $$;
      create trigger slow before update on films for each row execute function slow()`)
    const Person = model('person', { name: z.string() }, { plural: 'people' })
    const Film = model('film', {
      title: z.string(),
      cast: toMany('person', { through: { table: 'fa', owner: 'film', target: 'person' } }),
    })
    const { api } = serve([Person, Film])
    const change = api.patch('/films/1', { film: { title: 'b', cast: ['1', '4'] } })
    const isWriting = `select 1 from pg_locks where relation = 'films'::regclass and mode = 'RowExclusiveLock'`
    while ((await sql(isWriting)).length === 0) await wait(5)
    await sql('insert into fa values (1, 2); delete from fa where person = 4')
    expect((await change).status).toBe(200)
    expect(await sql('select person from fa order by 1')).toEqual([[1], [2]])
  })
})
