import pg from 'pg'
import { createRouter, model, type Policy, refuse, type Store, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { StoreUnavailable } from '../../src/store/store-failures.ts'
import { wrapStore } from '../../src/store/wrap-store.ts'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import { PostgresServer } from '../support/postgres/postgres-server.ts'
import { stores } from '../support/stores.ts'

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

/** Longer than any reader of a list would wait before it sends the head alone. */
const failsAfterMs = 60

const Author = model('author', { name: z.string() })
const Work = model('work', { title: z.string(), author: toOne('author') })

/** The store, whose lists fail after a while, before their first item. */
function withoutLists(store: Store): Store {
  const failLater = () => ({
    [Symbol.asyncIterator]: () => ({
      next: async (): Promise<IteratorResult<never>> => {
        await new Promise((resolve) => setTimeout(resolve, failsAfterMs))
        throw new StoreUnavailable('The connection was lost.')
      },
    }),
  })
  const rawJson = store.fastPaths?.rawJson
  return wrapStore(store, {
    list: failLater,
    ...(rawJson && {
      fastPaths: {
        ...store.fastPaths,
        rawJson: {
          page: rawJson.page.bind(rawJson),
          list: (...list) => (rawJson.list(...list) ? failLater() : undefined),
        },
      },
    }),
  })
}

describe.each(stores)('A list whose store fails before its first item, on $name', ({ make }) => {
  it.each([
    ['plain REST', rest(), '', {}, 'application/problem+json'],
    ['plain REST with included items', rest(), '?include=author', {}, 'application/problem+json'],
    ['sorted plain REST', rest(), '?sort=-title', {}, 'application/problem+json'],
    [
      'JSON Lines',
      rest({ jsonLines: true }),
      '',
      { accept: 'application/jsonl' },
      'application/problem+json',
    ],
    [
      'compressed plain REST',
      rest(),
      '',
      { 'accept-encoding': 'gzip' },
      'application/problem+json',
    ],
    ['JSON:API', jsonApi(), '', {}, 'application/vnd.api+json'],
    ['JSON:API with included items', jsonApi(), '?include=author', {}, 'application/vnd.api+json'],
  ] as const)('is 503 with a problem document: %s', async (_, policy, query, headers, type) => {
    const router = createRouter({
      policy,
      store: withoutLists(await make()),
      compression: true,
      onError: () => undefined,
    })
    router.prepare(Author)
    router.prepare(Work)
    await router.load(Author, [{ id: 'a', name: 'A' }])
    await router.load(Work, [{ id: 'w', title: 'W', author: 'a' }])
    const server = await serve(router)
    for (const method of ['GET', 'HEAD'])
      for (const ask of [
        () => router.handle(new Request(`http://localhost/works${query}`, { method, headers })),
        () => fetch(`${server.address}/works${query}`, { method, headers }),
      ]) {
        const response = await ask()
        expect([response.status, response.headers.get('content-type')]).toEqual([503, type])
        expect(response.headers.get('retry-after')).not.toBeNull()
        const text = await response.text()
        if (method === 'HEAD') expect(text).toBe('')
        else expect(JSON.parse(text)).toMatchObject({ errors: [{ code: 'store-unavailable' }] })
      }
    await server.close()
  })
})

describePostgres('A whole list while PostgreSQL goes away', () => {
  it.each([
    ['plain REST', rest(), 'application/problem+json'],
    ['JSON:API', jsonApi(), 'application/vnd.api+json'],
  ] as const)(
    'is 503 under %s, where no row came before',
    async (_, policy, type) => {
      const postgres = await PostgresServer.start()
      const store = (await import('resourcery/postgres')).postgres(postgres.url())
      const router = createRouter({ policy, store, onError: () => undefined })
      router.prepare(Author)
      await router.load(Author, [{ id: 'a', name: 'A' }])
      const server = await serve(router)
      const locker = new pg.Client({ connectionString: postgres.url() })
      locker.on('error', () => undefined)
      await locker.connect()
      await locker.query('begin; lock table authors')
      const waiting = "select 1 from pg_stat_activity where wait_event_type = 'Lock'"
      const responses = [
        fetch(`${server.address}/authors`),
        router.handle(new Request('http://localhost/authors?sort=-name')),
        fetch(`${server.address}/authors?include=`, { method: 'HEAD' }),
      ]
      await expect.poll(() => postgres.run(waiting), { timeout: 8_000 }).toHaveLength(3)
      await postgres.kill()
      for (const response of await Promise.all(responses))
        expect([response.status, response.headers.get('content-type')]).toEqual([503, type])
      await server.close()
    },
    60_000,
  )
})
