import pg from 'pg'
import { createRouter, hash, model, type Router, rollup, toMany, toOne } from 'resourcery'
import { rest } from 'resourcery/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const Author = model('author', {
  books: toMany('book', { inverse: 'author' }),
  bookCount: rollup('books', { count: true }),
  hash: hash(),
})
const Book = model('book', { author: toOne('author', { optional: true, onDelete: 'set-null' }) })
const Award = model('award', { author: toOne('author', { onDelete: 'restrict' }) })

describePostgres('A refused removal of an item with rollups', () => {
  let database: TestDatabase
  let router: Router
  let other: pg.Client
  beforeAll(async () => {
    database = await newDatabase()
    router = createRouter({ policy: rest(), store: postgres(database.url) })
    for (const each of [Author, Book, Award]) router.prepare(each)
    await router.open()
    for (const id of ['free', 'honoured']) {
      await router.items(Author).create({ id })
      await router.items(Book).create({ id: `of-${id}`, author: id })
    }
    await router.items(Award).create({ author: 'honoured' })
    other = new pg.Client({ connectionString: database.url })
    await other.connect()
    await other.query('begin; select 1 from books for update')
  }, 120_000)
  afterAll(async () => {
    await other?.end()
    await router?.close()
    await database?.drop()
  })

  const remove = async (id: string, headers: Record<string, string> = {}): Promise<number> => {
    const url = `http://localhost/authors/${id}`
    return (await router.handle(new Request(url, { method: 'DELETE', headers }))).status
  }

  it.each([
    ['its version is not the current one', 412, 'free', { 'if-match': '"other"' }],
    ['an item refers to it', 409, 'honoured', {}],
    ['it does not exist', 404, 'missing', {}],
  ] as const)('waits for no related items where %s', async (_, status, id, headers) => {
    expect(await remove(id, headers)).toBe(status)
  })

  it('leaves the item to a removal that waits for them', async () => {
    const { etag } = await router
      .handle(new Request('http://localhost/authors/free'))
      .then(({ headers }) => ({ etag: headers.get('etag')! }))
    const removed = remove('free', { 'if-match': etag })
    await other.query('commit')
    expect(await removed).toBe(204)
    expect(await router.items(Book).get('of-free')).toMatchObject({ author: null })
  })
})
