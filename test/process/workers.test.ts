import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type RawClient, rawClient } from '../../src/adapter/raw-client.testing.ts'
import { newDatabase } from '../support/postgres/shared-server.ts'
import { loadWorkers } from '../support/workers/worker-load.ts'
import {
  spawnWorkers,
  startWorkers,
  type WorkerService,
} from '../support/workers/worker-service.ts'

interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Sends a request on the connection of the client, and so to its worker. */
async function ask(client: RawClient, path: string, { method, headers, body }: Asked = {}) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = Object.entries({
    host: 'localhost',
    ...(body && { 'content-type': 'application/json' }),
    'content-length': String(text.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  client.send(`${method ?? 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
  const response = await client.readResponse()
  return { ...response, json: () => JSON.parse(response.body) }
}

/** A connection to each worker. */
async function clientsOf({ port, workers }: WorkerService): Promise<readonly RawClient[]> {
  const clients = new Map<string, RawClient>()
  while (clients.size < workers().length) {
    const client = await rawClient(port)
    const { body } = await ask(client, '/pid')
    if (clients.has(body)) client.socket.destroy()
    else clients.set(body, client)
  }
  expect(new Set([...clients.keys()].map(Number))).toEqual(new Set(workers()))
  return [...clients.values()]
}

const until = (check: () => boolean) => expect.poll(check, { timeout: 15_000 }).toBe(true)

test.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ url: (await newDatabase()).url })],
])(
  'workers share one port and what is stored in %s',
  async (_, settings) => {
    const service = await startWorkers(await settings())
    const [one, other, third] = await clientsOf(service)

    // What one has written, the others read, and change under the same conditions.
    const created = await ask(one!, '/api/books', {
      method: 'POST',
      body: { book: { title: 'Emma' } },
    })
    expect(created.status).toBe(201)
    const path = new URL(created.headers['location']!, 'http://localhost').pathname
    const { headers } = await ask(other!, path)
    expect(headers['etag']).toBe(created.headers['etag'])
    const ifMatch = { 'if-match': headers['etag']! }
    const change = { method: 'PATCH', headers: ifMatch, body: { book: { price: 5 } } }
    const merge = {
      ...change,
      headers: { ...ifMatch, 'content-type': 'application/merge-patch+json' },
    }
    expect((await ask(third!, path, merge)).status).toBe(200)
    expect((await ask(other!, path, merge)).status).toBe(412)
    expect(
      (await ask(one!, path, { headers: { 'if-none-match': headers['etag']! } })).json(),
    ).toMatchObject({ book: { price: 5 } })

    // A key of idempotency, and a position of changes, which is encrypted.
    const once = {
      method: 'POST',
      headers: { 'idempotency-key': '"k1"' },
      body: { book: { title: 'Persuasion' } },
    }
    const first = await ask(one!, '/api/books', once)
    const repeated = await ask(other!, '/api/books', once)
    expect([first.status, repeated.status, repeated.body]).toEqual([201, 201, first.body])
    const since = (await ask(one!, '/api/books')).headers['changes-position']!
    const waiting = ask(other!, `/api/books/changes?since=${since}&wait=20`)
    await wait(200)
    await ask(third!, '/api/books', { method: 'POST', body: { book: { title: 'Sanditon' } } })
    const changes = await waiting
    expect([changes.status, changes.body.includes('Sanditon')]).toEqual([200, true])

    // All of them write at the same time.
    const writes = [one!, other!, third!].map(async (client, worker) => {
      const statuses: number[] = []
      for (let index = 0; index < 100; index++) {
        const body = { book: { id: `${worker}-${index}`, title: 'x' } }
        statuses.push((await ask(client, '/api/books', { method: 'POST', body })).status)
      }
      return statuses
    })
    expect(new Set((await Promise.all(writes)).flat())).toEqual(new Set([201]))
    const page = await ask(one!, '/api/books?withCount=true&page[size]=1')
    expect(page.body).toContain('303')
  },
  60_000,
)

test('a worker that is killed under load takes its own requests with it, and is replaced', async () => {
  const service = await startWorkers()
  const before = service.workers()
  const load = loadWorkers(service.port, '/pid/5', 12)
  await until(() => load.servedBy.size === 12 && load.responses.size === 3)
  process.kill(before[0]!, 'SIGKILL')
  const ledToIt = [...load.servedBy.values()].filter((pid) => pid === before[0])
  const served = load.responses.get(before[1]!)!
  await until(() => load.responses.get(before[1]!)! > served)
  await load.stop()
  await until(() => service.workers().length === 3 && !service.workers().includes(before[0]!))
  await clientsOf(service)
  // Each connection that led to it had a request under way.
  expect(load.failures.length).toBeLessThanOrEqual(ledToIt.length)
  expect(new Set([...load.failures, 'ECONNRESET', 'socket hang up'])).toEqual(
    new Set(['ECONNRESET', 'socket hang up']),
  )
  expect(service.output()).toContain(`The worker ${before[0]} ended with SIGKILL.`)
}, 60_000)

test('a worker that is blocked gets few connections, and others get them after ten seconds', async () => {
  const service = await startWorkers()
  const [blocked] = service.workers()
  process.kill(blocked!, 'SIGSTOP')
  const clients = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const client = await rawClient(service.port)
      return { client, response: ask(client, '/pid') }
    }),
  )
  let responses = 0
  for (const { response } of clients) void response.then(() => responses++)
  await until(() => responses >= 32)
  // A request that comes later does not wait.
  expect((await ask(await rawClient(service.port), '/pid')).status).toBe(200)
  await until(() => responses === 40)
  for (const { response } of clients) expect((await response).body).not.toBe(String(blocked))
  expect(service.output()).toContain(`The worker ${blocked} has accepted no connection for 10 s`)
  process.kill(blocked!, 'SIGCONT')
  // It has connections again.
  await clientsOf(service)
}, 60_000)

test('SIGHUP replaces all workers, and no request fails', async () => {
  const service = await startWorkers()
  const load = loadWorkers(service.port, '/pid/3', 12)
  for (let round = 0; round < 3; round++) {
    const before = service.workers()
    await until(() => before.every((pid) => load.responses.has(pid)))
    service.primary.kill('SIGHUP')
    await until(
      () =>
        service.workers().length === 3 && service.workers().every((pid) => !before.includes(pid)),
    )
  }
  await load.stop()
  expect(load.failures).toEqual([])
  expect(load.responses.size).toBeGreaterThanOrEqual(10)
  expect(service.output().split('\n')).toEqual([`listens on ${service.port}`, ''])
}, 90_000)

test('SIGHUP while the workers start leads to a restart after that', async () => {
  const service = spawnWorkers()
  const seen = new Set<number>()
  const collect = () => {
    for (const pid of service.workers()) seen.add(pid)
    return seen
  }
  await until(() => collect().size === 1)
  service.primary.kill('SIGHUP')
  await until(() => collect().size === 6)
  await until(() => service.workers().length === 3)
  expect(service.output()).toMatch(/^listens on \d+\n$/)
}, 60_000)

test('connections go on for the time that is promised while their worker is replaced', async () => {
  const service = await startWorkers()
  const before = service.workers()
  const clients = await clientsOf(service)
  service.primary.kill('SIGHUP')
  // Old and new workers get connections in turn, until only new ones do.
  for (let ofNew = 0; ofNew < 6; ) {
    const { body } = await ask(await rawClient(service.port), '/pid')
    ofNew = before.includes(Number(body)) ? 0 : ofNew + 1
  }
  // Longer than connections stay open where a whole service ends.
  await wait(500)
  for (const client of clients) {
    const { body, headers } = await ask(client, '/pid')
    expect([before.includes(Number(body)), headers['connection']]).toEqual([true, 'close'])
  }
  await until(() => service.workers().every((pid) => !before.includes(pid)))
}, 60_000)

test('a module that no longer starts leaves the workers as they are', async () => {
  const service = await startWorkers()
  const before = service.workers()
  writeFileSync(join(service.folder, 'broken'), '')
  service.primary.kill('SIGHUP')
  await until(() =>
    service.output().includes('The workers are not restarted, and the old ones go on.'),
  )
  expect(service.output()).toContain('Error: The module is broken.')
  expect(service.workers()).toEqual(before)
  expect((await ask(await rawClient(service.port), '/pid')).status).toBe(200)
}, 60_000)

test('where no worker starts, the primary ends with the error', async () => {
  const service = spawnWorkers({ options: { port: -1 } })
  expect(await service.ended).toBe(1)
  const failing = spawnWorkers()
  writeFileSync(join(failing.folder, 'broken'), '')
  expect(await failing.ended).toBe(1)
  expect(failing.output().match(/The module is broken/g)).toHaveLength(2)
  expect(failing.output()).toMatch(/The worker \d+ ended with exit code 1 before it was ready/)
}, 60_000)

test.each([
  ['the primary alone', (service: WorkerService) => service.primary.kill('SIGTERM')],
  [
    'all processes',
    ({ primary, workers }: WorkerService) => {
      for (const pid of [...workers(), primary.pid!]) process.kill(pid, 'SIGTERM')
    },
  ],
])(
  'SIGTERM to %s lets requests finish, and ends all processes',
  async (_, signal) => {
    const service = await startWorkers()
    const clients = await clientsOf(service)
    const workers = service.workers()
    const responses = clients.map((client) => ask(client, '/pid/400'))
    await wait(100)
    signal(service)
    for (const response of responses)
      expect(await response).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect(await service.ended).toBe(0)
    await until(() => workers.every((pid) => !isRunning(pid)))
    expect(service.output().split('\n')).toEqual([`listens on ${service.port}`, ''])
  },
  60_000,
)

test('workers finish their requests and end where the primary is killed', async () => {
  const service = await startWorkers({ closes: false })
  const [client] = await clientsOf(service)
  const workers = service.workers()
  const response = ask(client!, '/pid/400')
  await wait(100)
  service.primary.kill('SIGKILL')
  expect((await response).status).toBe(200)
  await until(() => workers.every((pid) => !isRunning(pid)))
}, 60_000)

test('programs that a worker starts get nothing of what its primary has told it', async () => {
  const service = await startWorkers({ options: { workers: 1 } })
  const client = await rawClient(service.port)
  for (const path of ['/early', '/environment']) {
    const { body } = await ask(client, path)
    expect(body).toContain('PATH=')
    expect(body).not.toContain('RESOURCERY_')
  }
}, 60_000)

test('limits of connections, and of slow clients, hold in workers', async () => {
  const limits = { headersTimeoutMs: 300, maxConnections: 2 }
  const service = await startWorkers({ options: { workers: 1, limits } })
  const [slow, other] = [await rawClient(service.port), await rawClient(service.port)]
  await ask(other, '/pid')
  const third = await rawClient(service.port)
  third.send('GET /pid HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await third.closed
  slow.send('GET /pid HTTP/1.1\r\n')
  expect((await slow.readResponse()).status).toBe(408)
}, 60_000)

test('a server that closes is not ready before its port ends', async () => {
  const service = await startWorkers({ options: { shutdownDelayMs: 500 } })
  service.primary.kill('SIGTERM')
  await expect
    .poll(async () => (await ask(await rawClient(service.port), '/readyz')).status)
    .toBe(503)
  expect((await ask(await rawClient(service.port), '/pid')).status).toBe(200)
  expect(await service.ended).toBe(0)
}, 60_000)

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
