import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { serve } from 'resourcery/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createService, User } from './service.ts'

/** A port that was free a moment ago: better-auth has to know its origin before it listens. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => probe.once('listening', resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

describe('Sessions of better-auth beside a router', () => {
  let server: Awaited<ReturnType<typeof serve>>
  let router: ReturnType<typeof createService>['router']
  let origin: string
  let cookie = ''

  beforeAll(async () => {
    const port = await freePort()
    origin = `http://127.0.0.1:${port}`
    const service = createService(origin, '3d6f9a1c57be40289e7d1a44c0b6f853')
    router = service.router
    server = await serve([router, service.sessions], { port })
  })
  afterAll(() => server.close())

  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin, ...headers },
      body: JSON.stringify(body),
    })
  const note = { note: { text: 'Hello' } }

  it('sign users up on the same port, and users are items of a model', async () => {
    const jane = { name: 'Jane', email: 'jane@example.com', password: 'correct horse battery' }
    const response = await send('/api/auth/sign-up/email', jane)
    expect(response.status).toBe(200)
    const lines = response.headers.getSetCookie()
    cookie = lines.map((line) => line.split(';')[0]).join('; ')
    expect(cookie).toContain('better-auth.session_token=')
    const { users } = (await (await fetch(`${origin}/api/users`)).json()) as { users: object[] }
    expect(users).toEqual([{ id: expect.any(String), name: 'Jane' }])
    const refused = await send('/api/users', { user: { name: 'Tom', email: 'x' } }, { cookie })
    expect(refused.status).toBe(403)
  })

  it('say who writes', async () => {
    expect((await send('/api/notes', note)).status).toBe(401)
    const created = await send('/api/notes', note, { cookie })
    expect(created.status).toBe(201)
    const [user] = await router.items(User).all()
    expect(user?.email).toBe('jane@example.com')
    expect(await created.json()).toMatchObject({ note: { author: user?.id } })
  })

  it('are refused where they are wrong, or where pages of other sites use them', async () => {
    const wrong = { cookie: 'better-auth.session_token=wrong' }
    expect((await send('/api/notes', note, wrong)).status).toBe(401)
    const crossSite = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await send('/api/notes', note, crossSite)).status).toBe(403)
  })

  it('end when the user signs out', async () => {
    const read = () => fetch(`${origin}/api/notes`, { headers: { cookie } })
    expect((await read()).status).toBe(200)
    expect((await send('/api/auth/sign-out', {}, { cookie })).status).toBe(200)
    expect((await read()).status).toBe(401)
  })
})
