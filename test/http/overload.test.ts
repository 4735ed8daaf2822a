import { once } from 'node:events'
import { connect } from 'node:net'
import { respond } from 'resourcery'
import { type LogEntry, type Server, type Service, serve } from 'resourcery/node'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { gauges, listenTo } from '../../src/telemetry/channels.ts'

const service: Service = {
  basePath: '',
  isScan: ({ path }) => path === '/scans',
  respond: async () => respond(204),
}

const logged: LogEntry[] = []
let server: Server
beforeAll(async () => {
  server = await serve(service, {
    overload: { maxWaiting: 8 },
    log: (entry) => logged.push(entry),
  })
})
afterAll(() => server.close())

it('A server with a long queue refuses scans first, then others, and health checks never', async () => {
  let length = 0
  const end = listenTo(gauges, (reader) => reader.read('waitingCalls', length, 'postgresql'))
  onTestFinished(end)
  const statusOf = async (path: string) => (await fetch(server.address + path)).status
  const statuses = () => Promise.all(['/items', '/scans', '/livez', '/readyz'].map(statusOf))
  expect(await statuses()).toEqual([204, 204, 200, 200])
  length = 4
  expect(await statuses()).toEqual([204, 503, 200, 200])
  length = 8
  expect(await statuses()).toEqual([503, 503, 200, 200])
  const refused = await fetch(`${server.address}/items`)
  expect(refused.headers.get('retry-after')).toBe('1')
  expect(await refused.text()).toContain('"code":"overloaded"')
  expect(logged).toContainEqual(
    expect.objectContaining({ status: 503, route: '/*', code: 'overloaded' }),
  )
  length = 0
  expect(await statuses()).toEqual([204, 204, 200, 200])
})

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
