import { channel } from 'node:diagnostics_channel'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRouter, model, respond } from 'resourcery'
import { type ServeOptions, type Service, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

const channels = ['resourcery:statements', 'resourcery:sqlite:commit', 'resourcery:changes']

const Book = model('book', { title: z.string() })

async function served(options: ServeOptions, ...others: Service[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'metrics-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: sqlite(join(folder, 'books.db')),
    changes: true,
  })
  router.prepare(Book)
  const server = await serve([router, ...others], options)
  onTestFinished(() => server.close())
  return server.address
}

/** The values of the metrics, by name and labels. */
async function valuesAt(url: string): Promise<Map<string, number>> {
  const response = await fetch(url)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
  const text = await response.text()
  expect(text.endsWith('\n')).toBe(true)
  const lines = text.trim().split('\n')
  for (const line of lines)
    expect(line).toMatch(/^# (HELP|TYPE) \w+ .+$|^\w+(\{(\w+="[^"\n]*",?)*\})? [\d.e+-]+$/)
  return new Map(
    lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]),
  )
}

const labels = (status: number, more = '') =>
  `{http_request_method="GET",url_scheme="http",network_protocol_version="1.1",http_route="/api/books/{id}",http_response_status_code="${status}"${more}}`

test('metrics count requests by route and status, and say what the store does', async () => {
  const address = await served({ metrics: true })
  const created = await fetch(`${address}/api/books`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"book":{"title":"Emma"}}',
  })
  expect(created.status).toBe(201)
  const { id } = ((await created.json()) as { book: { id: string } }).book
  for (const path of [id, id, 'none']) await (await fetch(`${address}/api/books/${path}`)).text()
  const values = await valuesAt(`${address}/metrics`)
  const count = (name: string) => values.get(name)
  expect(count(`http_server_request_duration_seconds_count${labels(200)}`)).toBe(2)
  expect(count(`http_server_request_duration_seconds_count${labels(404)}`)).toBe(1)
  expect(count(`http_server_request_duration_seconds_bucket${labels(200, ',le="+Inf"')}`)).toBe(2)
  expect(count('http_server_active_requests{http_request_method="GET",url_scheme="http"}')).toBe(0)
  expect(count('resourcery_queue_length{resourcery_queue_name="sqlite writes"}')).toBe(0)
  expect(count('resourcery_sqlite_commit_transactions_count')).toBeGreaterThan(0)
  expect(
    count(
      'db_client_operation_duration_seconds_count{db_system_name="sqlite",db_operation_name="INSERT"}',
    ),
  ).toBeGreaterThan(0)
})

test('metrics have a path of their own, and only methods that read', async () => {
  const address = await served({ metrics: { path: '/internal/metrics' } })
  await valuesAt(`${address}/internal/metrics`)
  expect((await fetch(`${address}/metrics`)).status).toBe(404)
  const refused = await fetch(`${address}/internal/metrics`, { method: 'POST' })
  expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
})

test('no client can add a metric by what it sends', async () => {
  const address = await served({ metrics: true })
  for (const path of ['/api/a"b', '/other\\', '/api/books/%22%0A']) await fetch(address + path)
  const names = [...(await valuesAt(`${address}/metrics`)).keys()].join('\n')
  expect(names).not.toMatch(/a"b|other|%22/)
})

test.each([
  [{ metrics: 'yes' }, "must be true, false or an object; got 'yes'"],
  [{ metrics: { path: 'metrics' } }, "must be a path such as '/metrics'"],
  [{ metrics: { path: '/livez' } }, 'is that of a health check, too'],
  [{ metrics: { path: '/api' } }, "has '/api', the path of the metrics of serve()"],
  [{ metrics: true, workers: 2 }, 'each of them would show its own figures'],
])('serve refuses %j', async (options, message) => {
  await expect(served(options as never)).rejects.toThrow(message)
})

test('Server-Timing has the time of each stage, beside what hooks send', async () => {
  const service: Service = {
    basePath: '/other',
    respond: async () => respond(200, { 'server-timing': 'cache;desc="hit"' }, 'text'),
  }
  const address = await served({ serverTiming: true }, service)
  const response = await fetch(`${address}/api/books`)
  expect(response.headers.get('server-timing')).toMatch(
    /^(\w+;dur=\d+\.\d, )*store;dur=\d+\.\d, (\w+;dur=\d+\.\d, )*total;dur=\d+\.\d$/,
  )
  const other = await fetch(`${address}/other`)
  expect(other.headers.get('server-timing')).toMatch(/^cache;desc="hit", total;dur=\d+\.\d$/)
})

test('a server that cannot start leaves no listener, and closes what it has opened', async () => {
  const count = () => channels.map((name) => channel(name)).filter((one) => one.hasSubscribers)
  expect(count()).toEqual([])
  const closed: string[] = []
  const service: Service = {
    basePath: '/other',
    respond: async () => respond(204),
    close: async () => void closed.push('other'),
  }
  const taken = await serve(service)
  onTestFinished(() => taken.close())
  const options = { metrics: true, telemetry: true }
  await expect(serve(service, { ...options, port: taken.port })).rejects.toThrow('EADDRINUSE')
  await expect(serve(service, { ...options, port: -1 })).rejects.toThrow("'port'")
  const failing = { ...service, open: () => Promise.reject(new Error('no file')) }
  await expect(serve(failing, options)).rejects.toThrow('no file')
  expect(closed).toEqual(['other', 'other'])
  expect(count()).toEqual([])
})
