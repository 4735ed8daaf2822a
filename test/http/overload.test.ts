import { once } from 'node:events'
import { connect } from 'node:net'
import { respond } from 'resourcery'
import { type LogEntry, type Server, type Service, serve } from 'resourcery/node'
import { afterAll, beforeAll, expect, it } from 'vitest'

let server: Server
let begun = 0
const slow: ReturnType<typeof get>[] = []
const logged: LogEntry[] = []
let release = (): void => {}

/** Responds to `/slow` once it is released, and to everything else at once. */
const service: Service = {
  basePath: '',
  isScan: ({ path }) => path === '/scans',
  respond: async ({ path }) => {
    if (path === '/slow') {
      begun++
      await released
    }
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
  server = await serve(service, { overload: { maxPending: 8 }, log: (entry) => logged.push(entry) })
})
afterAll(() => server.close())

/** Waits until so many more requests are under way. */
const begin = async (count: number) => {
  const before = begun
  slow.push(...Array.from({ length: count }, () => get('/slow')))
  await expect.poll(() => begun).toBe(before + count)
}

it('A server with too many requests refuses scans first, then others, and health checks never', async () => {
  await begin(4)
  expect((await get('/items')).status).toBe(204)
  const scan = await get('/scans')
  expect([scan.status, scan.headers.get('retry-after')]).toEqual([503, '1'])
  expect(scan.text).toContain('"code":"overloaded"')
  await begin(4)
  expect((await get('/items')).status).toBe(503)
  for (const path of ['/livez', '/readyz']) expect((await get(path)).status).toBe(200)
  expect(logged).toContainEqual(
    expect.objectContaining({ status: 503, route: '/*', code: 'overloaded' }),
  )
  release()
  expect(new Set((await Promise.all(slow)).map(({ status }) => status))).toEqual(new Set([204]))
  for (const path of ['/items', '/scans']) expect((await get(path)).status).toBe(204)
}, 60_000)

it('A turn of the event loop admits no more than it has time for', async () => {
  const busy: Service = {
    basePath: '',
    async respond() {
      const end = performance.now() + 5
      while (performance.now() < end);
      return respond(204)
    },
  }
  const other = await serve(busy, { overload: { maxDelayMs: 20, minPerTurn: 2 } })
  // A turn takes one new connection, and reads all that were there before.
  const sockets = Array.from({ length: 50 }, () => connect(other.port, '127.0.0.1'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await expect
    .poll(() => new Promise((resolve) => other.node.getConnections((_, count) => resolve(count))))
    .toBe(sockets.length)
  const responses = sockets.map((socket) => once(socket, 'data'))
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const statuses = (await Promise.all(responses)).map(([data]) => Number(`${data}`.slice(9, 12)))
  for (const socket of sockets) socket.destroy()
  expect(new Set(statuses)).toEqual(new Set([204, 503]))
  expect((await fetch(other.address)).status).toBe(204)
  await other.close()
})
