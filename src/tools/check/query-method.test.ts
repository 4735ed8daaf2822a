import { createRouter, model, type Policy } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { check } from './check.ts'

/** @param isFaulty whether QUERY leaves its parameters out, as a service with a defect would */
async function checked(policy: Policy, isFaulty: boolean) {
  const router = createRouter({ policy, store: memory() })
  const Book = model('book', { title: z.string().max(20), price: z.int() })
  router.prepare(Book)
  await router.load(
    Book,
    Array.from({ length: 30 }, (_, index) => ({ title: `B${index}`, price: index })),
  )
  const service: Service = {
    basePath: router.basePath,
    respond: (request) =>
      router.respond(
        isFaulty && request.method === 'QUERY' ? { ...request, body: undefined } : request,
      ),
  }
  const server = await serve(service)
  onTestFinished(async () => {
    await server.close()
    await router.close()
  })
  const { findings } = await check(router.toOpenApi(), new URL(server.address), {
    runs: 50,
    seed: 5,
    only: ['getBooks'],
  })
  return findings
}

describe('a check of QUERY', () => {
  it.each([rest, jsonApi])(
    'finds nothing wrong with a service that takes it as GET: %o',
    async (policy) => {
      expect(await checked(policy(), false)).toEqual([])
    },
    120_000,
  )

  it.each([rest, jsonApi])(
    'finds a service that leaves parameters out: %o',
    async (policy) => {
      const findings = await checked(policy(), true)
      expect(findings.map(({ kind }) => kind)).toContain('query-differs')
      expect(findings.find(({ kind }) => kind === 'query-differs')).toMatchObject({
        subject: 'getBooks',
        request: { method: 'QUERY', requestTarget: '/books' },
      })
    },
    120_000,
  )
})
