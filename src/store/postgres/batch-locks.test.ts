import pg from 'pg'
import { createRouter, model, type Router } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../../../test/spec/support/atomic.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const Account = model('account', { name: z.string() })
/** Hidden from everyone but its owner. */
const Note = model('note', { name: z.string(), owner: z.string() })
const ids = Array.from({ length: 10 }, (_, index) => `a${index}`)

const update = (id: string, name: string) => ({
  op: 'update',
  data: { type: 'accounts', id, attributes: { name } },
})

const updateNote = (id: string, name: string) => ({
  op: 'update',
  data: { type: 'notes', id, attributes: { name } },
})

const batchOf = (operations: readonly unknown[], user = 'a'): Request =>
  new Request('http://localhost/operations', {
    method: 'POST',
    headers: { 'content-type': atomicType, accept: atomicType, user },
    body: JSON.stringify({ 'atomic:operations': operations }),
  })

const statusOf = async (handle: Router['handle'], request: Request): Promise<number> =>
  (await handle(request)).status

describePostgres('Batches of two processes that change the same items', () => {
  let database: TestDatabase
  let routers: readonly Router[] = []
  beforeAll(async () => {
    database = await newDatabase()
    const url = `${database.url}&options=${encodeURIComponent('-c deadlock_timeout=1s')}`
    routers = [0, 1].map(() => {
      const router = createRouter({ policy: jsonApi(), store: postgres(url) })
      router.prepare(Account)
      router.prepare(Note).use({
        query: {
          any: (query, { request }) => query.where('owner').equal(String(request.headers.user)),
        },
      })
      return router
    })
    for (const router of routers) await router.open()
    await routers[0]!.load(
      Account,
      ids.map((id) => ({ id, name: id })),
    )
  }, 120_000)
  afterAll(async () => {
    for (const router of routers) await router.close()
    await database?.drop()
  })

  it('wait for one item without a connection, but the first of them', async () => {
    const { handle } = routers[0]!
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    await other.query("begin; select 1 from accounts where id = 'a0' for update")
    const batches = [1, 2, 3, 4].map((number) =>
      statusOf(handle, batchOf([update('a0', 'x'), update('a0', `${number}`)])),
    )
    const waiting = async () => {
      const sql = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = $1"
      return (await (await sharedServer()).run(sql, [database.name])).length
    }
    await expect.poll(waiting).toBeGreaterThan(0)
    for (let number = 0; number < 5; number++)
      expect(await statusOf(handle, batchOf([update('a9', 'other')]))).toBe(200)
    expect(await waiting()).toBe(1)
    await other.query('commit')
    expect(new Set(await Promise.all(batches))).toEqual(new Set([200]))
    await other.end()
  }, 60_000)

  it('wait for no item that the caller does not see, and keep nobody waiting for it', async () => {
    const { handle, load } = routers[0]!
    await load(Note, [
      { id: 'own', name: 'own', owner: 'b' },
      { id: 'hidden', name: 'hidden', owner: 'a' },
    ])
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    // The batch of the owner has its lock of this process, and waits for the row.
    await other.query("begin; select 1 from notes where id = 'hidden' for update")
    const changes = [updateNote('hidden', '1'), updateNote('hidden', '2')]
    const ofOwner = statusOf(handle, batchOf(changes))
    const sql = "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = $1"
    const waiting = async () => (await (await sharedServer()).run(sql, [database.name])).length
    await expect.poll(waiting).toBe(1)
    const updates = [updateNote('own', 'x'), updateNote('hidden', 'x')]
    for (const operations of [updates, updates.toReversed(), changes])
      expect(await statusOf(handle, batchOf(operations, 'b'))).toBe(404)
    const patch = new Request('http://localhost/notes/hidden', {
      method: 'PATCH',
      headers: { 'content-type': 'application/vnd.api+json', user: 'b' },
      body: JSON.stringify({ data: { type: 'notes', id: 'hidden', attributes: { name: 'x' } } }),
    })
    expect(await statusOf(handle, patch)).toBe(404)
    expect(await waiting()).toBe(1)
    await other.query('commit')
    expect(await ofOwner).toBe(200)
    await other.end()
  }, 60_000)

  // In a crowded pool, waiting for a lock ends before the server looks for deadlocks.
  it('succeed in any order, with all connections in use', async () => {
    const send = ({ handle }: Router, order: readonly string[], name: string) =>
      statusOf(handle, batchOf(order.map((id) => update(id, name))))
    const batches = Array.from({ length: 10 }, (_, index) => [
      send(routers[0]!, ids, `first ${index}`),
      send(routers[1]!, ids.toReversed(), `second ${index}`),
    ])
    expect(new Set(await Promise.all(batches.flat()))).toEqual(new Set([200]))
    const accounts = await routers[0]!.items(Account).all()
    expect(new Set(accounts.map(({ name }) => name)).size).toBe(1)
  }, 60_000)
})
