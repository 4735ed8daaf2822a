import { Hono } from 'hono'
import { createRouter, model, type Router } from 'resourcery'
import { fetchHandler } from 'resourcery/fetch'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const Book = model('book', { title: z.string() }, { ids: 'client' })

function bookshop(): Router {
  const router = createRouter({ policy: rest(), store: memory(), changes: true, compression: true })
  router.prepare(Book)
  return router
}

/** Next.js calls the function of the method with its own request, and with parameters. */
class NextRequest extends Request {
  readonly nextUrl: URL = new URL(this.url)
  readonly cookies: Map<string, string> = new Map()
}

function nextRoute(router: Router): (request: Request) => Promise<Response> {
  const handle = fetchHandler(router)
  const route: Readonly<Record<string, typeof handle>> = { GET: handle, POST: handle }
  const params = Promise.resolve({ path: ['books', 'changes'] })
  return (request) => route[request.method]!(new NextRequest(request), { params })
}

const events = { accept: 'text/event-stream', 'accept-encoding': 'br, gzip' }

describe('A stream of changes', () => {
  test('is not compressed, and ends when the server closes, with the time to come again', async () => {
    const router = bookshop()
    const server = await serve(router)
    const response = await fetch(`${server.address}/books/changes`, { headers: events })
    expect(response.headers.get('content-encoding')).toBeNull()
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    await router.items(Book).create({ id: 'b', title: 'Dracula' })
    expect((await reader.read()).value).toContain('event: create')
    const closed = server.close()
    expect((await reader.read()).value).toMatch(/^retry: \d+\nid: [\w-]+\n\n$/)
    expect((await reader.read()).done).toBe(true)
    await closed
  })

  test.each([
    ['fetchHandler', (router: Router) => fetchHandler(router)],
    [
      'Hono',
      (router: Router) => {
        const app = new Hono()
        app.all('/*', (context) => fetchHandler(router)(context.req.raw))
        return (request: Request) => app.fetch(request)
      },
    ],
    ['a route of Next.js', nextRoute],
  ])('is read through %s, and ends when its reader cancels', async (_, handlerOf) => {
    const router = bookshop()
    const handle = handlerOf(router)
    const response = await handle(
      new Request('http://localhost/books/changes', { headers: events }),
    )
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toMatch(/^retry: /)
    const next = reader.read()
    await router.items(Book).create({ id: 'b', title: 'Dracula' })
    expect((await next).value).toContain('Dracula')
    await reader.cancel()
    await router.close()
  })

  test('ends in a route of Next.js when its client leaves, and another one is allowed', async () => {
    const router = createRouter({
      policy: rest(),
      store: memory(),
      changes: { feed: { maxSubscribers: 1 } },
    })
    router.prepare(Book)
    const handle = nextRoute(router)
    const stream = (signal: AbortSignal) =>
      handle(new Request('http://localhost/changes?models=books', { headers: events, signal }))
    const leaving = new AbortController()
    const response = await stream(leaving.signal)
    const reader = response.body!.getReader()
    expect((await reader.read()).done).toBe(false)
    const next = reader.read()
    const refused = await stream(new AbortController().signal)
    expect(refused.status).toBe(429)
    leaving.abort()
    await expect(next).rejects.toThrow()
    const again = await stream(new AbortController().signal)
    expect(again.status).toBe(200)
    await again.body!.cancel()
    await router.close()
  })
})
