import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { type RunningBookstore, startBookstore } from '../support/bookstore-process.ts'
import { descriptorsOf } from '../support/measured-service.ts'
import { png } from '../support/resources.ts'

/** SOAK=300 for five minutes: the duration of the load. */
const seconds = Number(process.env.SOAK ?? 0)
const workers = 12
const folder = mkdtempSync(join(tmpdir(), 'soak-'))

afterAll(() => rmSync(folder, { recursive: true }))

interface Sample {
  /** In MiB. */
  readonly memory: number
  readonly descriptors: number
}

it.runIf(seconds > 0)(
  '4.3, memory leak: under a mixed load memory and descriptors level off, and no response is a 5xx',
  async () => {
    const DATABASE_URL = `sqlite:${join(folder, 'bookstore.db')}`
    const bookstore = await startBookstore({ DATABASE_URL, BLOBS_DIR: join(folder, 'blobs') })
    const counts = new Map<number, number>()
    const deadline = performance.now() + seconds * 1_000
    const load = Array.from({ length: workers }, async (_, worker) => {
      for (let round = 0; performance.now() < deadline; round++) {
        for (const status of await once(bookstore, `${worker}-${round}`, worker + round))
          counts.set(status, (counts.get(status) ?? 0) + 1)
      }
    })
    const samples: Sample[] = []
    while (performance.now() < deadline) {
      await wait(Math.max(500, seconds * 10))
      samples.push({
        memory: memoryOf(bookstore),
        descriptors: descriptorsOf(bookstore.process.pid),
      })
    }
    await Promise.all(load)
    const code = await bookstore.stop()

    const third = Math.floor(samples.length / 3)
    const middle = samples.slice(third, 2 * third)
    const last = samples.slice(2 * third)
    const requests = [...counts.values()].reduce((sum, entry) => sum + entry, 0)
    console.log(
      `soak of ${seconds} s: ${requests} requests (${[...counts].map(([status, times]) => `${status}: ${times}`).join(', ')}); memory in the middle ${typical(middle, 'memory')} MiB, at the end ${typical(last, 'memory')} MiB, at most ${Math.max(...samples.map(({ memory }) => memory)).toFixed(0)} MiB; descriptors ${typical(middle, 'descriptors')}, then ${typical(last, 'descriptors')}`,
    )
    expect(code).toBe(0)
    expect([...counts.keys()].filter((status) => status >= 500)).toEqual([])
    expect(
      [200, 201, 204, 304, 400, 404, 412, 422].filter((status) => !counts.has(status)),
    ).toEqual([])
    expect(typical(last, 'memory') - typical(middle, 'memory')).toBeLessThan(24)
    expect(typical(last, 'descriptors') - typical(middle, 'descriptors')).toBeLessThan(8)
  },
  seconds * 1_000 + 60_000,
)

function typical(samples: readonly Sample[], what: keyof Sample): number {
  const sorted = samples.map((sample) => sample[what]).sort((entry, other) => entry - other)
  return Math.round(sorted[Math.floor(sorted.length / 2)]!)
}

/** In MiB. */
function memoryOf({ process: { pid } }: RunningBookstore): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024
}

const json = { 'content-type': 'application/json' }
const jsonApi = { 'content-type': 'application/vnd.api+json' }
const atomicType = 'application/vnd.api+json;ext="https://jsonapi.org/ext/atomic"'

/**
 * One kind of client work. It removes what it creates, so that the amount of data stays the same.
 * @returns the statuses
 */
async function once(
  { address }: RunningBookstore,
  name: string,
  round: number,
): Promise<readonly number[]> {
  const sendRequest = async (path: string, init?: RequestInit): Promise<number> => {
    const response = await fetch(`${address}${path}`, init)
    await response.arrayBuffer()
    return response.status
  }
  switch (round % 12) {
    case 0:
      return [
        await sendRequest('/api/books/dracula'),
        await sendRequest('/json-api/books/dracula?include=author.books,genres'),
      ]
    case 1:
      return [
        await sendRequest(
          `/api/books?page[size]=20&filter[title][contains]=${name.at(-1)}&sort=-price&include=author`,
        ),
      ]
    case 2: {
      const { headers, status } = await fetch(`${address}/api/books/frankenstein`)
      const tag = headers.get('etag') ?? ''
      return [
        status,
        await sendRequest('/api/books/frankenstein', { headers: { 'if-none-match': tag } }),
        await sendRequest('/api/books/frankenstein', {
          method: 'PATCH',
          headers: { ...json, 'if-match': '"stale"' },
          body: '{"book":{}}',
        }),
      ]
    }
    case 3:
      return [await sendRequest('/api/books'), await sendRequest('/json-api/books?include=author')]
    case 4: {
      const stopping = new AbortController()
      const response = await fetch(`${address}/json-api/books?include=author,genres`, {
        signal: stopping.signal,
      })
      await response.body!.getReader().read()
      stopping.abort()
      return [response.status]
    }
    case 5: {
      const id = `soak-${name}`
      const body = (title: string) => JSON.stringify({ genre: { id, name: title } })
      return [
        await sendRequest('/api/genres', { method: 'POST', headers: json, body: body('New') }),
        await sendRequest(`/api/genres/${id}`, {
          method: 'PATCH',
          headers: json,
          body: body('Changed'),
        }),
        await sendRequest(`/api/genres/${id}`, {
          method: 'PUT',
          headers: json,
          body: body('Replaced'),
        }),
        await sendRequest(`/api/genres/${id}`, { method: 'DELETE' }),
        await sendRequest(`/api/genres/${id}`),
      ]
    }
    case 6: {
      const ref = { type: 'genres', id: `batch-${name}` }
      const operations = [
        { op: 'add', data: { ...ref, attributes: { name: 'New' } } },
        { op: 'remove', ref },
      ]
      const headers = { 'content-type': atomicType, accept: atomicType }
      const body = JSON.stringify({ 'atomic:operations': operations })
      return [await sendRequest('/json-api/operations', { method: 'POST', headers, body })]
    }
    case 7: {
      const id = `painted-${name}`
      const headers = { 'content-type': 'image/png' }
      return [
        await sendRequest('/api/authors', {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ author: { id, name } }),
        }),
        await sendRequest(`/api/authors/${id}/portrait`, {
          method: 'POST',
          headers,
          body: png(round % 200, 60_000),
        }),
        await sendRequest(`/api/authors/${id}/portrait`, { headers: { range: 'bytes=5-500' } }),
        await sendRequest(`/api/authors/${id}`, { method: 'DELETE' }),
      ]
    }
    case 8:
      return [
        await sendRequest('/api/books', { method: 'POST', headers: json, body: '{"book":' }),
        await sendRequest('/api/books', {
          method: 'POST',
          headers: json,
          body: '{"book":{"title":7}}',
        }),
        await sendRequest(`/api/books?unknown=${name}`),
        await sendRequest(`/json-api/nowhere/${name}`),
      ]
    case 9: {
      const path = '/json-api/books/dracula/relationships/genres'
      const before = (await (await fetch(`${address}${path}`)).json()) as { data: object[] }
      return [
        await sendRequest(path, {
          method: 'PATCH',
          headers: jsonApi,
          body: JSON.stringify({ data: before.data }),
        }),
      ]
    }
    case 10:
      await vanish(address)
      return []
    default:
      return [
        await sendRequest(
          `/api/books?page[size]=5&page[number]=${1 + (round % 30)}&withCount=true`,
          {
            method: 'HEAD',
          },
        ),
      ]
  }
}

/** Starts to send a body, and disconnects. */
async function vanish(address: string): Promise<void> {
  const { hostname, port } = new URL(address)
  await new Promise<void>((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      const head =
        'POST /api/books HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n'
      socket.write(`${head}{"book": {"title": "`, () => {
        socket.destroy()
        resolve()
      })
    })
    socket.on('error', reject)
  })
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
