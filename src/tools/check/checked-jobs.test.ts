import { createRouter, model, type Policy } from 'resourcery'
import { jobs } from 'resourcery/jobs'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { check } from './check.ts'

const Book = model('book', { title: z.string() })

async function checked(policy: Policy) {
  const router = createRouter({
    policy,
    store: memory(),
    security: {
      authentication: [
        {
          name: 'names',
          scheme: { type: 'http', scheme: 'bearer' },
          authenticate: ({ headers: { authorization } }) =>
            authorization ? { caller: { id: authorization.slice(7) } } : undefined,
        },
      ],
      callerSchema: z.object({ id: z.string() }),
    },
  })
  router.prepare(Book).itemOperation('print', () => undefined, { async: true })
  jobs(router, { callerOf: (id) => ({ id }), maxPerOwner: 10_000 })
  const server = await serve(router)
  onTestFinished(async () => {
    await server.close()
    await router.close()
  })
  return await check(router.toOpenApi(), new URL(server.address), {
    runs: 4,
    seed: 1,
    headers: { authorization: 'Bearer ann' },
  })
}

describe('a check of a service with jobs', () => {
  it.each([rest({ csv: true, jsonLines: true }), jsonApi({ csv: true })])(
    'finds that it does what its document describes: $name',
    async (policy) => {
      const { findings, successCount } = await checked(policy)
      expect(findings).toEqual([])
      expect(successCount).toBeGreaterThan(0)
    },
    120_000,
  )
})
