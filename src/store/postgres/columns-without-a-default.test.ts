import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { client } from '../../../test/support/client.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const First = model('book', { title: z.string(), stock: z.int().default(0) })
const Second = model('book', { title: z.string() })

describePostgres('A column that an older version of the package made, without a default', () => {
  it('is filled in where a version without its field has added rows, and gets the default', async () => {
    const database = await newDatabase()
    onTestFinished(() => database.drop())
    const server = await sharedServer()
    const sql = (text: string) => server.run(text, [], database.name)
    const start = async (book: typeof First | typeof Second) => {
      const router = createRouter({ policy: rest(), store: postgres(database.url) })
      router.prepare(book)
      onTestFinished(() => router.close())
      return { router, api: client(router) }
    }
    const first = await start(First)
    await first.api.post('/books', { book: { title: 'a', stock: 4 } })
    await first.router.close()
    await sql('alter table books alter column stock drop default')
    const second = await start(Second)
    for (const title of ['b', 'c']) await second.api.post('/books', { book: { title } })
    expect(await sql('select count(*)::int as n from books where stock is null')).toEqual([
      { n: 2 },
    ])
    const again = await start(First)
    expect(await again.router.plan()).toEqual([
      {
        kind: 'instant',
        summary: "Give the column 'stock' of 'books' its default.",
        sql: [`alter table "books" alter column "stock" set default '0'`],
      },
      {
        kind: 'rewrite',
        summary: "Fill in 'stock' of 2 items of 'books', with its default.",
        sql: [],
        itemCount: 2,
      },
      {
        kind: 'online',
        summary: "Require a value in the column 'stock' of 'books'.",
        sql: [
          'alter table "books" drop constraint if exists "stock has a value"',
          'alter table "books" add constraint "stock has a value" check ("stock" is not null) not valid',
          'alter table "books" validate constraint "stock has a value"',
          'alter table "books" alter column "stock" set not null',
          'alter table "books" drop constraint "stock has a value"',
        ],
        itemCount: 3,
        itemsPerSecond: 5_000_000,
        followsFilling: true,
      },
    ])
    const stock = async () =>
      ((await again.api.get('/books?sort=title')).at('/books') as { stock: number }[]).map(
        (book) => book.stock,
      )
    expect(await stock()).toEqual([4, 0, 0])
    // A process of the version without the field goes on.
    expect((await second.api.post('/books', { book: { title: 'd' } })).status).toBe(201)
    expect(await stock()).toEqual([4, 0, 0, 0])
    expect(await again.router.plan()).toEqual([])
  })
})
