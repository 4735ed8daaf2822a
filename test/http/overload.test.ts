import { respond } from 'resourcery'
import { type Server, type Service, serve } from 'resourcery/node'
import { afterAll, beforeAll, expect, it } from 'vitest'

let server: Server
let release = (): void => {}

/** Responds to `/slow` once it is released, and to everything else at once. */
const service: Service = {
  basePath: '',
  isScan: ({ path }) => path === '/scans',
  respond: async ({ path }) => {
    if (path === '/slow') await released
    return respond(204)
  },
}
const released = new Promise<void>((resolve) => {
  release = resolve
})

const get = async (path: string) => {
  const response = await fetch(server.address + path)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

beforeAll(async () => {
  server = await serve(service, { overload: { minPending: 1, maxPending: 4 } })
})
afterAll(() => server.close())

it('An overloaded server refuses scans first, never health checks, and none once it has less to do', async () => {
  expect((await get('/items')).status).toBe(204)
  const slow = Array.from({ length: 8 }, () => get('/slow'))
  const refused: string[] = []
  const health: number[] = []
  await expect
    .poll(
      async () => {
        for (const path of ['/items', '/scans']) {
          const { status, headers, text } = await get(path)
          if (status === 204) continue
          refused.push(path)
          expect([status, headers.get('retry-after')]).toEqual([503, '1'])
          expect(text).toContain('"code":"overloaded"')
        }
        for (const path of ['/livez', '/readyz']) health.push((await get(path)).status)
        return refused.filter((path) => path === '/items').length
      },
      { timeout: 20_000, interval: 5 },
    )
    .toBeGreaterThan(10)
  expect(refused[0]).toBe('/scans')
  expect(new Set(health)).toEqual(new Set([200]))
  release()
  expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([204]))
  const inOrder = async () => {
    const statuses: number[] = []
    for (let index = 0; index < 40; index++) statuses.push((await get('/scans')).status)
    return new Set(statuses)
  }
  await expect.poll(inOrder, { timeout: 20_000 }).toEqual(new Set([204]))
}, 60_000)
