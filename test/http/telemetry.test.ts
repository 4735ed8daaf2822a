import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { context, metrics, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { createRouter, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { type LogEntry, nodeHandler, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { eventually } from '../../src/adapter/raw-client.testing.ts'
import { listenTo, statementsRun } from '../../src/telemetry/channels.ts'

const spans = new InMemorySpanExporter()
const measures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
const reader = new PeriodicExportingMetricReader({
  exporter: measures,
  exportIntervalMillis: 3_600_000,
})

beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator({
    inject: () => undefined,
    fields: () => ['traceparent'],
    extract(parent, headers) {
      const [, traceId = '', spanId = ''] = String(
        (headers as Record<string, unknown>)['traceparent'] ?? '',
      ).split('-')
      return traceId === ''
        ? parent
        : trace.setSpanContext(parent, { traceId, spanId, traceFlags: 1, isRemote: true })
    },
  })
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }),
  )
  metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))
})
afterAll(async () => {
  await reader.shutdown()
  for (const api of [context, propagation, trace, metrics]) api.disable()
})
beforeEach(() => spans.reset())

const Book = model('book', { title: z.string() })

function bookRouter() {
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: memory(),
    onError: () => undefined,
  })
  router.prepare(Book).use({
    request: {
      getList: () => trace.getTracer('program').startSpan('of a hook').end(),
      delete_: () => {
        throw new Error('of a hook')
      },
    },
  })
  return router
}

async function served(log: (entry: LogEntry) => void = () => undefined): Promise<string> {
  const router = bookRouter()
  const server = await serve(router, { telemetry: true, log })
  onTestFinished(() => server.close())
  await router.load(Book, [{ id: 'b-1', title: 'Emma' }])
  return server.address
}

async function send(url: string, init: RequestInit = {}): Promise<void> {
  const headers = { connection: 'close', ...init.headers }
  await (await fetch(url, { ...init, headers })).arrayBuffer()
}

const ended = (kind: SpanKind): readonly ReadableSpan[] =>
  spans.getFinishedSpans().filter((span) => span.kind === kind)

test('a span is named by the template of the path, and goes on with the trace of the client', async () => {
  const entries: LogEntry[] = []
  const address = await served((entry) => entries.push(entry))
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
  await send(`${address}/api/books/b-1?fields[book]=title&token=secret&word`, {
    headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
  })
  await eventually(() => ended(SpanKind.SERVER).length === 1)
  const [span] = ended(SpanKind.SERVER)
  expect(span).toMatchObject({
    name: 'GET /api/books/{id}',
    parentSpanContext: { spanId: '00f067aa0ba902b7' },
    status: { code: SpanStatusCode.UNSET },
  })
  expect(span?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': expect.any(Number),
    'http.route': '/api/books/{id}',
    'network.protocol.version': '1.1',
    'url.path': '/api/books/b-1',
    'url.query': 'fields[book]=REDACTED&token=REDACTED&REDACTED',
    'url.scheme': 'http',
  })
  expect(span?.spanContext().traceId).toBe(traceId)
  expect(entries[0]?.traceId).toBe(traceId)
})

test('stages, and spans that the program makes, are children of the span of the request', async () => {
  const address = await served()
  await send(`${address}/api/books`)
  await eventually(() => ended(SpanKind.SERVER).length === 1)
  const [server] = ended(SpanKind.SERVER)
  const children = ended(SpanKind.INTERNAL)
  expect(children.map(({ name }) => name).sort()).toEqual(['encode', 'hooks', 'of a hook', 'store'])
  for (const child of children)
    expect(child.parentSpanContext?.spanId).toBe(server?.spanContext().spanId)
})

test('statements are children of the spans of their own requests, also where several share a commit', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-'))
  const store = sqlite(join(folder, 'books.db'))
  const router = createRouter({ policy: rest(), basePath: '/api', store })
  router.prepare(Book)
  const server = await serve(router, { telemetry: true })
  onTestFinished(async () => {
    await server.close()
    rmSync(folder, { recursive: true })
  })
  spans.reset()
  const post = (title: string) =>
    send(`${server.address}/api/books`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ book: { title } }),
    })
  await Promise.all(Array.from({ length: 8 }, (_, index) => post(`Book ${index}`)))
  await eventually(() => ended(SpanKind.SERVER).length === 8)
  const inserts = ended(SpanKind.CLIENT).filter(({ name }) => name.startsWith('INSERT book'))
  const servers = ended(SpanKind.SERVER).map((span) => span.spanContext().spanId)
  expect(inserts.map(({ parentSpanContext }) => parentSpanContext?.spanId).sort()).toEqual(
    servers.sort(),
  )
  expect(inserts[0]?.attributes).toMatchObject({
    'db.system.name': 'sqlite',
    'db.operation.name': 'INSERT',
    'db.query.text': expect.stringContaining('?'),
  })
  expect(JSON.stringify(inserts.map(({ attributes }) => attributes))).not.toContain('Book 1')
})

test('each statement is one span, however many hosts there are, also while a list is streamed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'telemetry-'))
  const router = createRouter({
    policy: rest(),
    basePath: '/api',
    store: sqlite(join(folder, 'books.db')),
  })
  router.prepare(Book)
  const server = await serve(router, { telemetry: true })
  const other = await serve(bookRouter(), { telemetry: true })
  onTestFinished(async () => {
    await Promise.all([server.close(), other.close()])
    rmSync(folder, { recursive: true })
  })
  await router.load(
    Book,
    Array.from({ length: 3_000 }, (_, index) => ({ id: `b-${index}`, title: 'Emma' })),
  )
  spans.reset()
  const runs: unknown[] = []
  const end = listenTo(statementsRun, (run) => runs.push(run))
  await send(`${server.address}/api/books`)
  await eventually(() => ended(SpanKind.SERVER).length === 1)
  end()
  expect(runs.length).toBeGreaterThan(1)
  expect(ended(SpanKind.CLIENT)).toHaveLength(runs.length)
})

test('a server that is started in a span begins a trace for each request', async () => {
  const tracer = trace.getTracer('program')
  const start = tracer.startSpan('start')
  const address = await context.with(trace.setSpan(context.active(), start), () => served())
  await send(`${address}/api/books`)
  await eventually(() => ended(SpanKind.SERVER).length === 1)
  expect(ended(SpanKind.SERVER)[0]?.spanContext().traceId).not.toBe(start.spanContext().traceId)
  start.end()
})

test('only what the service is responsible for is an error', async () => {
  const address = await served()
  await send(`${address}/api/books/nobody`)
  await send(`${address}/api/books/b-1`, { method: 'DELETE' })
  await send(`${address}/api/books/b-1`, { method: 'PURGE' })
  await eventually(() => ended(SpanKind.SERVER).length === 3)
  expect(
    ended(SpanKind.SERVER).map(({ name, status, attributes }) => [
      name,
      status.code,
      attributes['http.response.status_code'],
      attributes['error.type'],
    ]),
  ).toEqual([
    ['GET /api/books/{id}', SpanStatusCode.UNSET, 404, undefined],
    ['DELETE /api/books/{id}', SpanStatusCode.ERROR, 500, 'internal-error'],
    ['HTTP /api/*', SpanStatusCode.UNSET, 405, undefined],
  ])
  expect(ended(SpanKind.SERVER)[2]?.attributes).toMatchObject({
    'http.request.method': '_OTHER',
    'http.request.method_original': 'PURGE',
  })
})

test('an outer span is used and not doubled', async () => {
  const router = bookRouter()
  const handle = nodeHandler(router, { telemetry: true })
  const tracer = trace.getTracer('outer')
  const server = createServer((req, res) => {
    const span = tracer.startSpan('GET', { kind: SpanKind.SERVER })
    res.once('close', () => setImmediate(() => span.end()))
    context.with(trace.setSpan(context.active(), span), () => void handle(req, res))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  await router.load(Book, [{ id: 'b-1', title: 'Emma' }])
  await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/api/books/b-1`)
  await eventually(() => ended(SpanKind.SERVER).length === 1)
  const [outer] = ended(SpanKind.SERVER)
  expect(outer).toMatchObject({ name: 'GET', attributes: { 'http.route': '/api/books/{id}' } })
  expect(ended(SpanKind.INTERNAL).map(({ name }) => name)).toContain('store')
})

test('durations of requests are measured by route and status, in seconds', async () => {
  const address = await served()
  await send(`${address}/api/books/b-1`)
  await eventually(() => ended(SpanKind.SERVER).length === 1)
  await reader.forceFlush()
  const figures = measures
    .getMetrics()
    .at(-1)!
    .scopeMetrics.flatMap((scope) => scope.metrics)
  const duration = figures.find(
    ({ descriptor }) => descriptor.name === 'http.server.request.duration',
  )
  expect(duration?.descriptor.unit).toBe('s')
  const point = duration?.dataPoints.find(
    ({ attributes }) =>
      attributes['http.route'] === '/api/books/{id}' &&
      attributes['http.response.status_code'] === 200,
  )
  expect(point?.attributes).toEqual({
    'http.request.method': 'GET',
    'http.response.status_code': 200,
    'http.route': '/api/books/{id}',
    'network.protocol.version': '1.1',
    'url.scheme': 'http',
  })
  expect(point?.value).toMatchObject({
    buckets: { boundaries: expect.arrayContaining([0.005, 10]) },
  })
  const active = figures.find(({ descriptor }) => descriptor.name === 'http.server.active_requests')
  expect(active?.dataPoints.map(({ value }) => value)).toEqual(active?.dataPoints.map(() => 0))
})
