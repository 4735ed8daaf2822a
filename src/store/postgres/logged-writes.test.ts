import { createRouter, field, hash, model, type Router, toOne } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { idEquals } from '../../query/conditions.ts'
import type { ChangeEntry } from '../change-log.ts'
import type { Store } from '../store.ts'
import { PostgresConnection } from './connection.ts'

const Author = model('author', { name: z.string() }, { ids: 'client' })
const Book = model(
  'book',
  {
    title: z.string(),
    pages: z.int().nullable(),
    isSold: z.boolean(),
    soldOn: z.iso.date().optional(),
    soldAt: z.iso.datetime().optional(),
    code: z.uuid().optional(),
    genre: z.enum(['novel', 'poem']).default('novel'),
    secret: field(z.string().optional(), { hidden: true }),
    author: toOne('author', { optional: true }),
    hash: hash(),
  },
  { ids: 'client' },
)

describePostgres('A write whose change is logged in its round trip', () => {
  let database: TestDatabase
  let store: Store
  let router: Router
  const run = async (sql: string) => (await sharedServer()).run(sql, [], database.name)

  beforeAll(async () => {
    database = await newDatabase()
    store = postgres(database.url, { maxConnections: 1 })
    router = createRouter({ policy: rest(), store, changes: true })
    router.prepare(Author)
    router.prepare(Book)
    await router.open()
    await router.items(Author).create({ id: 'austen', name: 'Jane' })
  }, 120_000)
  afterAll(async () => {
    await router?.close()
    await store?.close()
    await database?.drop()
  })

  const lastEntry = async (): Promise<ChangeEntry> => {
    const read = await store.changes!.read(undefined, 1_000, 'committed')
    if (read.kind !== 'changes') throw new Error(read.kind)
    return read.entries.at(-1)!
  }
  /** How many round trips the write needs. */
  const roundTripsOf = async (write: () => Promise<unknown>): Promise<number> => {
    const runs = vi.spyOn(PostgresConnection.prototype, 'run')
    await write()
    const count = runs.mock.calls.filter(
      ([statements]) => !statements.some(({ sql }) => sql.startsWith('select pg_notify')),
    ).length
    runs.mockRestore()
    return count
  }
  const emma = {
    id: 'emma:1',
    title: 'Emma \\ "quoted"\n\tand \u{1F4D6} \u2028 \u007f',
    pages: null,
    isSold: true,
  }

  it('logs what a read finds, of columns of each type', async () => {
    const books = router.items(Book)
    const writes = [
      () => books.create(emma),
      () => books.update(emma.id, { pages: 474, author: 'austen' }),
      () => books.update(emma.id, { soldOn: '2024-02-29', soldAt: '2024-02-29T12:00:00.120Z' }),
      () => books.update(emma.id, { code: '0F6A7C1E-9F5B-4B06-8C27-0D5C6D0B7E11' }),
      () => books.update(emma.id, { secret: 'a "secret"' }),
      () => books.update(emma.id, { isSold: false, genre: 'poem', author: null }),
      () => books.replace(emma.id, { ...emma, title: '' }),
    ]
    const [book] = describeModels([Book, Author])
    for (const [index, write] of writes.entries()) {
      // None was repeated: the row was as predicted.
      expect(await roundTripsOf(write)).toBe(index === 0 ? 1 : 2)
      expect((await lastEntry()) as object).toMatchObject({
        id: emma.id,
        after: await store.find(book!, idEquals(emma.id)),
      })
    }
  })

  it('needs no round trip of its own', async () => {
    const authors = router.items(Author)
    expect(await roundTripsOf(() => authors.create({ id: 'bronte', name: 'Anne' }))).toBe(1)
    expect(await roundTripsOf(() => authors.update('bronte', { name: 'Emily' }))).toBe(2)
  })

  it('logs what a trigger has made of the item, and expects it then', async () => {
    const authors = router.items(Author)
    await run(`create function shout() returns trigger language plpgsql as $$ begin new.name := upper(new.name); return new; end $$;
      create trigger shout before update on authors for each row execute function shout()`)
    const changed = await authors.update('bronte', { name: 'Charlotte' })
    expect(changed).toMatchObject({ name: 'CHARLOTTE' })
    expect(await lastEntry()).toMatchObject({
      after: { text: expect.stringContaining('"CHARLOTTE"') },
      before: { text: expect.stringContaining('"Emily"') },
    })
    // The item is read before its change is added, and not after a first attempt has failed.
    expect(await roundTripsOf(() => authors.update('bronte', { name: 'Emily' }))).toBe(3)
    expect(await lastEntry()).toMatchObject({ after: { text: expect.stringContaining('"EMILY"') } })
  })
})
