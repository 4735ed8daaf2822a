import { postgres } from 'resourcery/postgres'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../../../test/support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../../../test/support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../../../test/support/postgres/shared-server.ts'
import { asUser, twoStores } from '../../../test/support/two-stores.ts'

const ada = asUser('ada@north')
const bob = asUser('bob@south')

describePostgres('A database for each group of callers', () => {
  let north: TestDatabase
  let south: TestDatabase

  beforeAll(async () => {
    north = await newDatabase()
    south = await newDatabase()
  })

  afterAll(async () => {
    await north.drop()
    await south.drop()
  })

  it('has the items of its callers, and no others', async () => {
    const { router, api } = twoStores({ north: postgres(north.url), south: postgres(south.url) })
    try {
      const note = (title: string) => ({ note: { id: 'n', title } })
      expect((await api.post('/notes', note('Northern'), ada)).status).toBe(201)
      expect((await api.get('/notes/n', bob)).status).toBe(404)
      expect((await api.post('/notes', note('Southern'), bob)).status).toBe(201)
      const server = await sharedServer()
      for (const [{ name }, title] of [
        [north, 'Northern'],
        [south, 'Southern'],
      ] as const) {
        const rows = await server.run('select title from notes', [], name)
        expect(rows).toEqual([{ title }])
      }
      // They have no replicas, so no position is told.
      expect((await api.get('/notes/n', ada)).headers.get('resourcery-position')).toBeNull()
    } finally {
      await router.close()
    }
  })

  it('is closed by itself: one that is away is 503 for its callers only', async () => {
    const away = postgres('postgresql://localhost:1/nowhere', { connectTimeoutMs: 500 })
    const { router, api, errors } = twoStores({ north: postgres(north.url), south: away })
    try {
      await router.open()
      expect((await api.get('/notes', ada)).status).toBe(200)
      const refused = await api.get('/notes', bob)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
      expect((errors[0] as Error).message).toMatch(/^The store 'south': /)
    } finally {
      await router.close()
    }
  })
})
