import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newDatabase } from '../support/postgres/shared-server.ts'
import { startWorkers, type WorkerService } from '../support/workers/worker-service.ts'

const until = (check: () => boolean) => expect.poll(check, { timeout: 30_000 }).toBe(true)

interface Answer {
  readonly status: number | string
  readonly body: string
}

/** A client on one connection, which changes and reads a book. */
function clientOf(port: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  return (method: string, path: string, payload?: object): Promise<Answer> =>
    new Promise((resolve) => {
      const headers = payload ? { 'content-type': 'application/json' } : {}
      const sent = request(
        { agent, port, method, path, headers, host: '127.0.0.1' },
        (response) => {
          let body = ''
          response.on('data', (chunk) => {
            body += chunk
          })
          response.on('end', () => resolve({ status: response.statusCode!, body }))
          response.on('error', ({ message }) => resolve({ status: message, body }))
        },
      )
      sent.on('error', (error: NodeJS.ErrnoException) =>
        resolve({ status: error.code ?? error.message, body: '' }),
      )
      sent.end(payload && JSON.stringify(payload))
    })
}

/** Clients that read and change the same book, until the test stops them. */
function loadOf(port: number, count: number) {
  const answers: Answer[] = []
  let isOver = false
  const loops = Array.from({ length: count }, async () => {
    const send = clientOf(port)
    for (let price = 0; !isOver; price++) {
      answers.push(await send('PATCH', '/api/books/emma', { book: { price } }))
      answers.push(await send('GET', '/api/books/emma'))
      await wait(10)
    }
  })
  return {
    answers,
    async stop() {
      isOver = true
      await Promise.all(loops)
    },
  }
}

async function withBook(settings: object = {}): Promise<WorkerService> {
  const service = await startWorkers(settings)
  const emma = { book: { id: 'emma', title: 'Emma' } }
  expect((await clientOf(service.port)('POST', '/api/books', emma)).status).toBe(201)
  return service
}

const rename = ({ folder }: WorkerService) => writeFileSync(join(folder, 'renamed'), '')

const areReplaced = ({ workers }: WorkerService, before: readonly number[]) =>
  workers().length === before.length && workers().every((pid) => !before.includes(pid))

test.each([
  ['SQLite', async () => ({})],
  ['PostgreSQL', async () => ({ url: (await newDatabase()).url })],
])(
  'SIGHUP with a renamed field fails no request, with %s',
  async (_, settings) => {
    const service = await withBook(await settings())
    const before = service.workers()
    const load = loadOf(service.port, 8)
    await until(() => load.answers.length > 50)
    rename(service)
    service.primary.kill('SIGHUP')
    await until(() => areReplaced(service, before))
    await load.stop()
    expect(new Set(load.answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(load.answers.at(-1)!.body).toContain('"heading":"Emma"')
    // The workers that asked for the pause have no port for it any more.
    expect(service.output().split('\n')).toEqual([`listens on ${service.port}`, ''])
  },
  90_000,
)

test('old workers go on where a new one fails after it has changed the store', async () => {
  const service = await withBook()
  const before = service.workers()
  const send = clientOf(service.port)
  rename(service)
  writeFileSync(join(service.folder, 'broken-later'), '')
  const answers: Answer[] = []
  service.primary.kill('SIGHUP')
  await until(() => service.output().includes('The module is broken after its change'))
  for (let index = 0; index < 3; index++) answers.push(await send('GET', '/pid'))
  for (const { status, body } of answers)
    expect([status, before.includes(Number(body))]).toEqual([200, true])
  // The store is that of the new version.
  await until(() => service.output().includes('The workers are not restarted'))
  expect((await send('GET', '/api/books/emma')).status).toBe(503)
  expect(service.workers()).toEqual(before)
}, 60_000)

test('a worker that is replaced by a new version leads to a restart of the others', async () => {
  const service = await withBook()
  const before = service.workers()
  const load = loadOf(service.port, 8)
  await until(() => load.answers.length > 50)
  rename(service)
  process.kill(before[0]!, 'SIGKILL')
  await until(() => areReplaced(service, before))
  await load.stop()
  const failed = load.answers.filter(({ status }) => status !== 200)
  // Only the requests under way in the worker that was killed.
  expect(failed.length).toBeLessThanOrEqual(8)
  expect(failed.filter(({ status }) => typeof status === 'number')).toEqual([])
}, 90_000)
