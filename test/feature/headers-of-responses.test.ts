import { hash, type Middleware, model, respond } from 'resourcery'
import { serve } from 'resourcery/node'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'
import { policies, prepared } from '../support/policies.ts'
import { service } from '../support/service.ts'
import { stores } from '../support/stores.ts'

const Note = model('note', { text: z.string(), hash: hash() })

const twoCookies: Middleware = {
  request: {
    any: ({ setHeader, appendHeader }) => {
      setHeader('Set-Cookie', 'first=1; Path=/')
      appendHeader('set-cookie', 'second=2; Path=/')
      setHeader('cache-control', 'private')
      appendHeader('Cache-Control', 'max-age=5')
      appendHeader('Vary', 'Cookie')
    },
  },
  declares: { headers: { 'Set-Cookie': 'A session', 'Cache-Control': 'Kept for a moment' } },
}
const cookies = ['first=1; Path=/', 'second=2; Path=/']

describe.each(stores)('Headers that middleware sets, on $name', ({ make }) => {
  const filled = async (...middleware: Middleware[]) => {
    const { router } = service(await make(), [])
    const note = router.prepare(Note)
    for (const entry of middleware) note.use(entry)
    await router.load(Note, [{ id: 'n-1', text: 'One' }])
    return { router, api: client(router) }
  }

  it('can be set and appended by functions that a hook destructures from the context', async () => {
    const { api } = await filled(twoCookies)
    const { etag } = await api.get('/notes/n-1')
    const responses = [
      [200, await api.get('/notes')],
      [200, await api.get('/notes?page[size]=1')],
      [200, await api.get('/notes/n-1')],
      [304, await api.get('/notes/n-1', { 'if-none-match': etag })],
      [201, await api.post('/notes', { note: { text: 'x' } })],
      [404, await api.get('/notes/none')],
      [422, await api.post('/notes', { note: {} })],
    ] as const
    for (const [status, { status: answered, headers }] of responses) {
      expect([answered, headers.getSetCookie()]).toEqual([status, cookies])
      expect(headers.get('cache-control')).toBe('private, max-age=5')
      expect(headers.get('vary')).toBe('Accept, Cookie')
    }
  })

  it('can be set by functions that a mapper destructures from the context', async () => {
    const { router } = service(await make(), [])
    const declares = { headers: { 'X-Seen': 'The id', 'Set-Cookie': 'Two cookies' } }
    router.use({ request: { any: () => undefined }, declares })
    router.prepare(Note).map((entry, { setHeader, appendHeader }) => {
      setHeader('x-seen', entry.id)
      appendHeader('set-cookie', 'a=1')
      appendHeader('set-cookie', 'b=2')
      return entry
    })
    await router.load(Note, [{ id: 'n-1', text: 'One' }])
    const api = client(router)
    const { headers } = await api.get('/notes/n-1')
    expect([headers.get('x-seen'), headers.getSetCookie()]).toEqual(['n-1', ['a=1', 'b=2']])
  })

  it('are sent with the response of a hook, whose cookies are added to those set before', async () => {
    const { api } = await filled(twoCookies, {
      request: { any: () => respond(401, { 'set-cookie': ['third=3', 'fourth=4'] }) },
    })
    const { status, headers } = await api.get('/notes')
    expect([status, headers.getSetCookie()]).toEqual([401, [...cookies, 'third=3', 'fourth=4']])
  })

  it('are sent as separate lines where they are cookies', async () => {
    const { router } = await filled(twoCookies)
    const server = await serve(router, { port: 0 })
    try {
      for (const path of ['/notes', '/notes/n-1', '/notes/none']) {
        const { headers } = await fetch(`http://127.0.0.1:${server.port}${path}`)
        expect(headers.getSetCookie()).toEqual(cookies)
      }
    } finally {
      await server.close()
    }
  })

  it('are headers of the whole batch, whichever operation set them', async () => {
    const [, jsonApi] = policies
    const { router, api } = prepared(jsonApi!, await make(), [])
    let requestCount = 0
    router.prepare(Note).use({
      request: { create: ({ appendHeader }) => appendHeader('set-cookie', `n${++requestCount}=1`) },
    })
    const ext = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'
    const add = { op: 'add', data: { type: 'notes', attributes: { text: 'x' } } }
    const body = { 'atomic:operations': [add, add] }
    const { status, headers } = await api.post('/operations', body, {
      'content-type': ext,
      accept: ext,
    })
    expect([status, headers.getSetCookie()]).toEqual([200, ['n1=1', 'n2=1']])
  })
})
