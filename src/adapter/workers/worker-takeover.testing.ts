import { createHash } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { ApiRequest } from '../../http/api-request.ts'
import { respond } from '../../http/api-response.ts'
import { listen } from '../node-server.ts'
import { type RawClient, rawClient } from '../raw-client.testing.ts'
import { resolveServe } from '../serve-settings.ts'
import type { Service } from '../service.ts'
import { serviceHost } from '../service-host.ts'
import { ForwardedPort } from './forwarded-port.ts'
import { type GateLimits, RequestGate } from './request-gate.ts'

/** The length of each chunk of `/stream?count`. */
export const streamChunkBytes = 32 * 1_024

/** A host that responds who it is, and what it does about a path. */
async function hostOf(name: string) {
  const seen: ApiRequest[] = []
  const slow: (() => void)[] = []
  let endedStreams = 0
  let produced = 0
  const service: Service = {
    basePath: '',
    endStreams: () => void endedStreams++,
    async respond(request) {
      seen.push(request)
      const { method, path, query, headers, address, body } = request
      const { connection: _, ...others } = headers
      switch (path) {
        case '/slow':
          await new Promise<void>((resolve) => slow.push(resolve))
          return respond(200, {}, name)
        case '/echo':
          return respond(
            200,
            { 'content-type': 'application/json', etag: '"1"' },
            JSON.stringify({ method, query, headers: others, address }),
          )
        case '/upload': {
          const hash = createHash('sha256')
          let size = 0
          for await (const chunk of body?.stream() ?? []) {
            hash.update(chunk)
            size += chunk.length
          }
          return respond(200, {}, `${size} ${hash.digest('hex')}`)
        }
        case '/refused':
          return respond(413, { 'content-type': 'text/plain' }, 'too large')
        case '/unchanged':
          return respond(304, { etag: '"1"' })
        case '/none':
          return respond(204)
        case '/defect':
          throw new Error('a defect')
        case '/stream':
          return { ...respond(200), body: { kind: 'stream', chunks: chunks(Number(query)) } }
        case '/broken':
          return { ...respond(200), body: { kind: 'stream', chunks: failing() } }
        default:
          return respond(200, { 'content-type': 'text/plain' }, name)
      }
    },
  }
  async function* chunks(count: number) {
    for (let index = 0; index < count; index++) {
      produced++
      yield Buffer.alloc(streamChunkBytes, 97)
    }
  }
  const reports: string[] = []
  const settings = resolveServe([service], {
    onError: (error) => void reports.push((error as Error).message),
  })
  const host = serviceHost([service], settings)
  await host.open()
  onTestFinished(async () => {
    for (const socket of host.connections.bySocket.keys()) socket.destroy()
    await host.close()
  })
  const { port } = await listen(host.node, { host: '127.0.0.1', port: 0 }, () => {})
  host.setAddress('127.0.0.1')
  return {
    host,
    port,
    seen,
    slow,
    reports,
    produced: () => produced,
    endedStreams: () => endedStreams,
  }
}

async function* failing() {
  yield Buffer.from('begin')
  await wait(20)
  throw new Error('broken')
}

const limits: GateLimits = { finishMs: 5_000, maxWaiting: 1_000, maxPauseMs: 30_000 }

/** An old host with its gate, and a new one with a port for what the old one forwards. */
export async function workerTakeover(changed: Partial<GateLimits> = {}) {
  const [old, young] = [await hostOf('old'), await hostOf('new')]
  const reports: string[] = []
  const report = (error: unknown) => void reports.push((error as Error).message)
  const gate = new RequestGate(old.host, report, { ...limits, ...changed })
  const forwarded = new ForwardedPort(
    (socket) => young.host.node.emit('connection', socket),
    report,
  )
  onTestFinished(() => forwarded.close())
  const client = await rawClient(old.port)
  return { old, young, gate, reports, client, port: await forwarded.open() }
}

export const get = (path: string, ...lines: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n')

export async function ask(client: RawClient, path: string) {
  client.send(get(path))
  return client.readResponse()
}

export const until = (check: () => boolean) => expect.poll(check, { timeout: 5_000 }).toBe(true)
