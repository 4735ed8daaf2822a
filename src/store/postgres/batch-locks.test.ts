import { createRouter, model, type Router } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { atomicType } from '../../../test/spec/support/atomic.ts'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase } from '../../../test/support/postgres/shared-server.ts'
import { postgres } from './postgres-store.ts'

const Account = model('account', { name: z.string() })
const ids = Array.from({ length: 10 }, (_, index) => `a${index}`)

describePostgres('Batches of two processes that change the same items', () => {
  let database: TestDatabase
  let routers: readonly Router[] = []
  beforeAll(async () => {
    database = await newDatabase()
    const url = `${database.url}&options=${encodeURIComponent('-c deadlock_timeout=1s')}`
    routers = [0, 1].map(() => {
      const router = createRouter({ policy: jsonApi(), store: postgres(url) })
      router.prepare(Account)
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

  // In a crowded pool, waiting for a lock ends before the server looks for deadlocks.
  it('succeed in any order, with all connections in use', async () => {
    const send = async (router: Router, order: readonly string[], name: string) => {
      const operations = order.map((id) => ({
        op: 'update',
        data: { type: 'accounts', id, attributes: { name } },
      }))
      const response = await router.handle(
        new Request('http://localhost/operations', {
          method: 'POST',
          headers: { 'content-type': atomicType, accept: atomicType },
          body: JSON.stringify({ 'atomic:operations': operations }),
        }),
      )
      return response.status
    }
    const batches = Array.from({ length: 10 }, (_, index) => [
      send(routers[0]!, ids, `first ${index}`),
      send(routers[1]!, ids.toReversed(), `second ${index}`),
    ])
    expect(new Set(await Promise.all(batches.flat()))).toEqual(new Set([200]))
    const accounts = await routers[0]!.items(Account).all()
    expect(new Set(accounts.map(({ name }) => name)).size).toBe(1)
  }, 60_000)
})
