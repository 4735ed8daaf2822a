import { createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { listen } from '../node-server.ts'
import { rawClient } from '../raw-client.testing.ts'
import { ForwardedPort } from './forwarded-port.ts'
import { ask, get, until, workerTakeover } from './worker-takeover.testing.ts'

it('lets requests under way finish, and forwards those that come later', async () => {
  const { old, young, gate, client, port } = await workerTakeover()
  const slow = await rawClient(old.port)
  slow.send(get('/slow'))
  await until(() => old.slow.length === 1)
  let isPaused = false
  const paused = gate.pause().then(() => {
    isPaused = true
  })
  expect(old.endedStreams()).toBe(1)
  client.send(get('/'))
  await wait(50)
  expect([isPaused, old.seen.length]).toEqual([false, 1])
  old.slow[0]!()
  expect((await slow.readResponse()).body).toBe('old')
  await paused

  gate.forwardTo(port)
  expect(await client.readResponse()).toMatchObject({
    status: 200,
    body: 'new',
    headers: { connection: 'close' },
  })
  await client.closed
  // The connection was kept alive meanwhile.
  expect((await ask(slow, '/')).body).toBe('new')
  expect([old.seen.length, young.seen.length]).toEqual([1, 2])
})

it('waits for requests under way no longer than allowed', async () => {
  const { old, gate, client } = await workerTakeover({ finishMs: 50 })
  client.send(get('/slow'))
  await until(() => old.slow.length === 1)
  const startedAt = performance.now()
  await gate.pause()
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(45)
  old.slow[0]!()
  expect((await client.readResponse()).body).toBe('old')
})

it('goes on by itself where no new worker is ready in time', async () => {
  const { gate, client, reports } = await workerTakeover({ maxPauseMs: 80 })
  await gate.pause()
  expect((await ask(client, '/')).body).toBe('old')
  expect(reports).toEqual([expect.stringMatching(/has paused for 0.08 s, and no new worker/)])
  await gate.pause()
  gate.resume()
  expect((await ask(client, '/')).body).toBe('old')
  await wait(120)
  expect(reports).toHaveLength(1)
})

it('goes on at once where it has to, and forgets ports of workers that failed', async () => {
  const { gate, client, port } = await workerTakeover()
  await gate.pause()
  client.send(get('/'))
  gate.resume()
  expect((await client.readResponse()).body).toBe('old')
  gate.forwardTo(port)
  gate.resume()
  expect((await ask(client, '/')).body).toBe('old')
})

it('serves those who wait where it closes', async () => {
  const { old, gate, client } = await workerTakeover()
  await gate.pause()
  client.send(get('/'))
  await wait(20)
  gate.end()
  await until(() => old.seen.length === 1)
  expect((await client.readResponse()).body).toBe('old')
})

it('refuses more requests than may wait, and responds to health checks', async () => {
  const { old, gate, client, port } = await workerTakeover({ maxWaiting: 1 })
  await gate.pause()
  client.send(get('/'))
  const [other, probe] = [await rawClient(old.port), await rawClient(old.port)]
  expect(await ask(other, '/')).toMatchObject({
    status: 503,
    headers: { 'retry-after': '1' },
    body: expect.stringContaining('"overloaded"'),
  })
  expect((await ask(probe, '/livez')).status).toBe(200)
  gate.forwardTo(port)
  expect((await client.readResponse()).body).toBe('new')
  expect((await ask(probe, '/livez')).headers.connection).not.toBe('close')
})

it('forgets a client that leaves while it waits', async () => {
  const { old, young, gate, client, port } = await workerTakeover({ maxWaiting: 1 })
  await gate.pause()
  client.send(get('/'))
  await wait(20)
  client.socket.destroy()
  await until(() => old.host.connections.bySocket.size === 0)
  const next = await rawClient(old.port)
  next.send(get('/'))
  await wait(20)
  gate.forwardTo(port)
  expect((await next.readResponse()).body).toBe('new')
  expect(young.seen).toHaveLength(1)
})

it('takes another port where a new worker has ended, and responds itself where all have', async () => {
  const { old, young, gate, port } = await workerTakeover({ maxPauseMs: 100 })
  const gone = new ForwardedPort(
    () => false,
    () => {},
  )
  const refusing = new ForwardedPort(
    () => false,
    () => {},
  )
  onTestFinished(() => refusing.close())
  const gonePort = await gone.open()
  gone.close()
  gate.forwardTo(gonePort)
  gate.forwardTo(await refusing.open())
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => rawClient(old.port)))
  expect((await ask(first!, '/')).body).toBe('old')
  gate.forwardTo(port)
  for (const client of [second!, third!]) expect((await ask(client, '/')).body).toBe('new')
  expect(young.seen).toHaveLength(2)
})

it('lets requests wait for the next new worker where none is left', async () => {
  const { old, young, gate, client, port } = await workerTakeover({ maxWaiting: 1 })
  gate.forwardTo(port)
  gate.stopForwardingTo(port)
  client.send(get('/'))
  await wait(100)
  const other = await rawClient(old.port)
  expect(await ask(other, '/')).toMatchObject({
    status: 503,
    body: expect.stringContaining('"overloaded"'),
  })
  gate.forwardTo(port)
  expect((await client.readResponse()).body).toBe('new')
  expect([old.seen.length, young.seen.length]).toEqual([0, 1])
})

it('tries a new worker again that has refused a connection', async () => {
  const { gate, client } = await workerTakeover()
  let refusals = 0
  const full = new ForwardedPort(
    () => ++refusals > 1,
    () => {},
  )
  onTestFinished(() => full.close())
  gate.forwardTo(await full.open())
  client.send(get('/'))
  await until(() => refusals === 2)
})

it.each(['end', 'resume'] as const)('responds itself at once after %s', async (call) => {
  const { gate, client, port } = await workerTakeover()
  gate.forwardTo(port)
  gate.stopForwardingTo(port)
  client.send(get('/'))
  await wait(50)
  gate[call]()
  expect((await client.readResponse()).body).toBe('old')
  expect((await ask(client, '/')).body).toBe('old')
})

it('takes a new worker that is ready while another one is blocked, also where it closes', async () => {
  const { old, gate, client, port } = await workerTakeover()
  let held: Socket | undefined
  const blocked = createServer((socket) => {
    held = socket
  })
  const { port: blockedPort } = await listen(blocked, { host: '127.0.0.1', port: 0 }, () => {})
  onTestFinished(() => void blocked.close())
  gate.forwardTo(blockedPort)
  client.send(get('/'))
  await until(() => held !== undefined)
  gate.forwardTo(port)
  gate.end()
  held!.destroy()
  expect((await client.readResponse()).body).toBe('new')
  expect(old.seen).toEqual([])
})
