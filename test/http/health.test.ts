import { createRouter, image, model, type Store } from 'resourcery'
import { memory, memoryBlobs } from 'resourcery/memory'
import { type Server, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { type BlobStore, StoreUnavailable } from 'resourcery/store'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type StoreKind, stores } from '../support/stores.ts'

let server: Server | undefined
afterEach(async () => {
  await server?.close()
  server = undefined
})

async function health(store: Store, blobs?: BlobStore) {
  const Book = model('book', { title: z.string(), ...(blobs && { cover: image() }) })
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store,
    ...(blobs && { blobs }),
    onError: () => {},
  })
  router.prepare(Book)
  server = await serve(router)
  const response = await fetch(`${server.address}/readyz`)
  const text = await response.text()
  return { status: response.status, text, checks: JSON.parse(text).checks as unknown }
}

test.each(stores)('a router on $name is ready', async ({ make }: StoreKind) => {
  expect(await health(await make(), memoryBlobs())).toMatchObject({
    status: 200,
    checks: [
      { service: '/api', name: 'store', state: 'ready' },
      { service: '/api', name: 'blobs', state: 'ready' },
    ],
  })
})

test('a router whose blob store is away is not ready, and tells no secrets', async () => {
  const away = { ...memoryBlobs(), read: () => Promise.reject(new StoreUnavailable('key AKIA')) }
  const { status, text, checks } = await health(memory(), away)
  expect([status, text.includes('AKIA')]).toEqual([503, false])
  expect(checks).toEqual([
    { service: '/api', name: 'store', state: 'ready' },
    { service: '/api', name: 'blobs', state: 'unavailable', reason: 'It cannot be used now.' },
  ])
})

test('the checks are in no document', async () => {
  const router = createRouter({ policy: rest(), store: memory(), docsPage: true })
  router.prepare(model('book', { title: z.string() }))
  server = await serve(router)
  expect((await fetch(`${server.address}/livez`)).status).toBe(200)
  expect(JSON.stringify(router.toOpenApi())).not.toMatch(/livez|readyz/)
})

test('a router over items or files in memory says that no other process sees them', async () => {
  expect(createRouter({ policy: rest(), store: memory() }).isProcessLocal).toBe(true)
  const store: Store = { ...memory(), facts: {} }
  const router = createRouter({ policy: rest(), basePath: '/api', store, blobs: memoryBlobs() })
  expect(router.isProcessLocal).toBe(true)
  await expect(serve(router, { workers: 2 })).rejects.toThrow(
    "The service at '/api' keeps items or files in the memory of its process",
  )
  expect(createRouter({ policy: rest(), store }).isProcessLocal).toBeUndefined()
})
