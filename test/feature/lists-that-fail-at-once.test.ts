import { createRouter, model, type Policy, refuse } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

const Book = model('book', { title: z.string() })

async function library(policy: Policy, mapper: () => never) {
  const reportedErrors: unknown[] = []
  const router = createRouter({
    policy,
    store: memory(),
    onError: (error) => reportedErrors.push(error),
  })
  router
    .prepare(Book)
    .use({ request: { any: () => undefined }, declares: { errors: ['forbidden'] } })
    .map(mapper)
  await router.load(Book, [{ id: 'b', title: 'B' }])
  return { router, errors: reportedErrors }
}

describe('A streamed list that fails before its first byte gets the same response as any other request', () => {
  it.each([
    ['plain REST', rest, 'application/problem+json'],
    ['JSON:API', jsonApi, 'application/vnd.api+json'],
  ] as const)('%s', async (_, policy, type) => {
    const problem = new Error('a fault of the mapper')
    const broken = await library(policy(), () => {
      throw problem
    })
    const refusing = await library(policy(), () => refuse('forbidden', 'Not you.'))
    for (const [{ router, errors }, status, code, reported] of [
      [broken, 500, 'internal-error', [problem]],
      [refusing, 403, 'forbidden', []],
    ] as const) {
      const serviceErrors: unknown[] = []
      const server = await serve(router, { onError: (error) => serviceErrors.push(error) })
      for (const ask of [
        () => router.handle(new Request('http://localhost/books')),
        () => fetch(`${server.address}/books`),
      ]) {
        const response = await ask()
        expect([response.status, response.headers.get('content-type')]).toEqual([status, type])
        expect(await response.json()).toMatchObject({ errors: [{ code }] })
        expect(errors.splice(0)).toEqual(reported)
      }
      await server.close()
      expect(serviceErrors).toEqual([])
    }
  })
})
