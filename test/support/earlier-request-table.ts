import { model, type Store } from 'resourcery'
import { expect, onTestFinished } from 'vitest'
import { z } from 'zod'
import { service } from './service.ts'

const Book = model('book', { title: z.string() })

/**
 * A table in which an earlier build kept results for Idempotency-Key is completed by a start, and
 * processes of that build can still write it.
 *
 * @param run runs a statement as another program
 */
export async function expectCompletedRequestTable(
  open: () => Store,
  table: string,
  run: (sql: string) => unknown,
): Promise<void> {
  const first = service(open(), [Book])
  await first.router.open()
  await first.router.close()
  await run(
    `create table ${table} (key text not null primary key, expires_at bigint not null, result text)`,
  )
  await run(`create index ${table}_expires_at on ${table} (expires_at)`)
  const { router, api } = service(open(), [Book], { idempotency: true })
  onTestFinished(() => router.close())
  await router.open()
  expect(await router.plan()).toEqual([])
  const post = () =>
    api.post('/books', { book: { title: 'Dune' } }, { 'idempotency-key': '"first-key"' })
  expect((await post()).status).toBe(201)
  expect((await post()).headers.get('idempotency-replayed')).toBe('true')
  await run(`insert into ${table} (key, expires_at) values ('of an earlier build', 1)`)
}
