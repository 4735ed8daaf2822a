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
})
