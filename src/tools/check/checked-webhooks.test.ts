import { createRouter, model, type Policy } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { webhooks } from 'resourcery/webhooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { check } from './check.ts'

const Book = model('book', { title: z.string() })

/** @param allowedHosts are in no document, so `http://` alone does not say what is allowed */
async function checked(policy: Policy, allowedHosts: readonly string[]) {
  const router = createRouter({
    policy,
    store: memory(),
    changes: true,
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
      cursorSecret: 'a secret for the check of webhooks',
    },
  })
  router.prepare(Book)
  webhooks(router, {
    models: [Book],
    callerOf: (id) => ({ id }),
    allowedHosts,
    maxPerOwner: 10_000,
  })
  const server = await serve(router)
  onTestFinished(async () => {
    await server.close()
    await router.close()
  })
  return await check(router.toOpenApi(), new URL(server.address), {
    runs: 8,
    seed: 1,
    only: ['postWebhooks', 'patchWebhooksItemById', 'getWebhooksItemById'],
    headers: { authorization: 'Bearer ann' },
  })
}

describe('a check of a service with webhooks', () => {
  it.each(
    [rest(), jsonApi()].flatMap((policy) => [
      { policy, allowedHosts: [] },
      { policy, allowedHosts: ['localhost'] },
    ]),
  )(
    'finds that it takes what its document describes: $policy.name, $allowedHosts',
    async ({ policy, allowedHosts }) => {
      const { findings, successCount } = await checked(policy, allowedHosts)
      expect(findings).toEqual([])
      expect(successCount).toBeGreaterThan(0)
    },
    120_000,
  )
})
