import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type MeasuredService, measuredService } from '../support/measured-service.ts'

/** SLOW=2000 for the long form: the number of slow clients. */
const requested = Number(process.env.SLOW ?? 200)
/** The sockets are split over two processes, each of which needs some descriptors for itself. */
const count = Math.min(requested, openFiles() - 200)
const isLong = requested > 500
const vanishing = isLong ? 1_000 : 200

const limits = {
  headersTimeoutMs: isLong ? 8_000 : 3_000,
  requestTimeoutMs: isLong ? 10_000 : 4_000,
  idleTimeoutMs: isLong ? 5_000 : 2_000,
  stalledWriteTimeoutMs: isLong ? 10_000 : 3_000,
}
/** The longest timeout, and some time for a loaded machine to check all connections. */
const keptMs = Math.max(...Object.values(limits)) + 8_000

/**
 * For tests in which no client may be disconnected for not reading, however slow the machine is.
 */
const patient = { ...limits, stalledWriteTimeoutMs: 120_000 }

const folder = mkdtempSync(join(tmpdir(), 'slow-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe('4.3: slow clients', () => {
  it(`slowloris: ${count} that send headers or bodies byte by byte, or nothing, are disconnected in time, and block nobody`, async () => {
    const service = await measuredService({
      database: join(folder, 'loris.db'),
      items: 1_000,
      limits,
    })
    const quiet = await honest(service, 1_000)
    const before = await service.measure()

    const clients = await Promise.all(
      Array.from({ length: count }, (_, index) => slow(service.port, index)),
    )
    const dripping = setInterval(() => {
      for (const { drip } of clients) drip()
    }, 300)
    const connected = await settled(service, (now) => now.connections >= count)
    const meanwhile = honest(service, limits.requestTimeoutMs)
    const endings = await Promise.race([
      Promise.all(clients.map(({ ended }) => ended)),
      wait(keptMs),
    ])
    clearInterval(dripping)
    const during = await meanwhile
    const full = await service.measure()
    // The agent of the honest client keeps a connection or two.
    const final = await settled(service, (now) => now.connections <= 2)
    await service.stop()

    const growth = Math.max(connected.memory, full.memory) - before.memory
    say(
      `slow clients: ${connected.connections} connections at a time; others' slowest ${quiet.slowest.toFixed(0)} ms before, p99 ${during.p99.toFixed(1)} and slowest ${during.slowest.toFixed(0)} ms of ${during.answers} meanwhile (p99 ${quiet.p99.toFixed(1)} before); memory +${growth.toFixed(0)} MiB; descriptors ${before.descriptors}, then ${final.descriptors}`,
    )
    expect(connected.connections, 'all of them were there at a time').toBeGreaterThanOrEqual(count)
    expect(during.failures).toEqual([])
    expect(during.slowest).toBeLessThan(2_000)
    expect(endings, `all are cut off within ${keptMs} ms`).toBeDefined()
    // A client that sent part of a request gets a response before the close; a silent one does not.
    for (const { kind, text } of endings!) {
      if (kind === 'silent') expect(text).not.toMatch(/ 200 /)
      else expect(text.slice(0, 12)).toBe('HTTP/1.1 408')
    }
    expect(growth).toBeLessThan(32 + count / 16)
    expect(final.descriptors).toBeLessThanOrEqual(before.descriptors + 2)
  }, 120_000)

  it.each([
    ['in the order of ids', 'page[size]=200'],
    ['behind others', 'page[offset]=50&page[limit]=200'],
    ['with chosen fields', 'page[size]=200&fields[books]=text'],
  ])(
    '20 that request a page of 40 MB, %s, and never read it take little memory each',
    async (_, query) => {
      const database = join(folder, `pages-${query.length}.db`)
      const service = await measuredService({
        database,
        items: 250,
        characters: 200_000,
        limits: patient,
      })
      const before = await service.measure()
      const readers = await Promise.all(
        Array.from({ length: 20 }, () => stalled(service.port, `?${encodeURI(query)}`)),
      )
      await Promise.all(readers.map(({ firstBytes }) => firstBytes))
      await wait(1_000)
      const now = await service.measure()
      for (const { socket } of readers) socket.destroy()
      await service.stop()
      say(
        `stalled readers of large pages: ${now.connections} connections, memory +${(now.memory - before.memory).toFixed(0)} MiB`,
      )
      expect(now.connections).toBeGreaterThanOrEqual(20)
      // All pages together are 800 MB.
      expect(now.memory - before.memory).toBeLessThan(64 + 20 * 4)
    },
    120_000,
  )

  it('100 that request the whole list and never read it take bounded memory, and block nobody', async () => {
    const items = isLong ? 1_000_000 : 30_000
    const service = await measuredService({
      database: join(folder, 'stalled.db'),
      items,
      limits: patient,
    })
    await honest(service, 500)
    const before = await service.measure()
    const readers = await Promise.all(Array.from({ length: 100 }, () => stalled(service.port)))
    await Promise.all(readers.map(({ firstBytes }) => firstBytes))
    const meanwhile = honest(service, 2_000)
    let most = 0
    for (let times = 0; times < 4; times++) {
      const now = await service.measure()
      most = Math.max(most, now.memory)
      if (times === 0) expect(now.connections).toBeGreaterThanOrEqual(100)
      await wait(200)
    }
    const during = await meanwhile
    for (const { socket } of readers) socket.destroy()
    await service.stop()

    say(
      `100 stalled readers of ${items} items: memory +${(most - before.memory).toFixed(0)} MiB; others' p99 ${during.p99.toFixed(1)} and slowest ${during.slowest.toFixed(0)} ms of ${during.answers}`,
    )
    expect(during.failures).toEqual([])
    expect(during.slowest).toBeLessThan(2_000)
    expect(most - before.memory).toBeLessThan(256)
  }, 300_000)

  it('100 that request the whole list and never read it are disconnected, and leave nothing open', async () => {
    const service = await measuredService({
      database: join(folder, 'cut.db'),
      items: 30_000,
      limits,
    })
    await honest(service, 500)
    const before = await service.measure()
    const readers = await Promise.all(Array.from({ length: 100 }, () => stalled(service.port)))
    // Some may be disconnected already when the last one begins.
    await Promise.all(readers.map(({ firstBytes }) => firstBytes))
    // A paused socket gets no end event: it counts that the service has closed its side.
    const final = await settled(service, (now) => now.connections <= 2)
    for (const { socket } of readers) socket.destroy()
    await service.stop()

    say(`100 stalled readers: descriptors ${before.descriptors}, then ${final.descriptors}`)
    expect(final.connections).toBeLessThanOrEqual(2)
    // Scan threads may have opened the database for themselves.
    expect(final.descriptors).toBeLessThanOrEqual(before.descriptors + 40)
  }, 300_000)

  it(`abort mid-list: ${vanishing} that disconnect in the middle of the whole list leave nothing open`, async () => {
    const service = await measuredService({
      database: join(folder, 'vanishing.db'),
      items: 30_000,
      limits: patient,
    })
    await honest(service, 500)
    const before = await service.measure()
    const meanwhile = honest(service, 2_000)
    for (let count = 0; count < vanishing; count += 50) {
      const readers = await Promise.all(
        Array.from({ length: Math.min(50, vanishing - count) }, () => stalled(service.port)),
      )
      await Promise.all(readers.map(({ firstBytes }) => firstBytes))
      // Some close the connection, others reset it.
      for (const [index, { socket }] of readers.entries())
        index % 2 ? socket.resetAndDestroy() : socket.destroy()
    }
    const began = performance.now()
    const during = await meanwhile
    const final = await settled(service, (now) => now.connections <= 2)
    const took = performance.now() - began
    const whole = (await (await fetch(`${service.address}/api/books`)).json()) as {
      books: unknown[]
    }
    await service.stop()

    say(
      `${vanishing} that vanish: all closed ${took.toFixed(0)} ms after the last; memory ${(final.memory - before.memory).toFixed(0)} MiB more; descriptors ${before.descriptors}, then ${final.descriptors}; others' p99 ${during.p99.toFixed(1)} ms`,
    )
    expect(during.failures).toEqual([])
    // Long before stalled clients would be disconnected.
    expect(final.connections).toBeLessThanOrEqual(2)
    // What fifty lists at a time leave in the allocator, however many lists ran.
    expect(final.memory - before.memory).toBeLessThan(160)
    expect(final.descriptors).toBeLessThanOrEqual(before.descriptors + 10)
    expect(whole.books.length).toBeGreaterThanOrEqual(30_000)
  }, 120_000)
})

interface Honest {
  readonly answers: number
  readonly p99: number
  readonly slowest: number
  readonly failures: readonly string[]
}

/** Reads an item, reads a page and writes an item in turns, for the given time. */
async function honest({ address }: MeasuredService, ms: number): Promise<Honest> {
  const times: number[] = []
  const failures: string[] = []
  const deadline = performance.now() + ms
  const books = `${address}/api/books`
  const headers = { 'content-type': 'application/json' }
  for (let round = 0; performance.now() < deadline; round++) {
    const began = performance.now()
    const response =
      round % 3 === 0
        ? await fetch(`${books}/b7`)
        : round % 3 === 1
          ? await fetch(`${books}?page[size]=20`)
          : await fetch(books, {
              method: 'POST',
              headers,
              body: JSON.stringify({ book: { title: `New ${round}` } }),
            })
    await response.arrayBuffer()
    times.push(performance.now() - began)
    if (response.status >= 300) failures.push(`${response.status} in round ${round}`)
    await wait(2)
  }
  times.sort((time, other) => time - other)
  return {
    answers: times.length,
    p99: times[Math.floor(times.length * 0.99)]!,
    slowest: times.at(-1)!,
    failures,
  }
}

type Kind = 'head' | 'body' | 'silent'

interface SlowClient {
  /** Sends one more byte. */
  drip(): void
  readonly ended: Promise<{ readonly kind: Kind; readonly text: string }>
}

async function slow(port: number, index: number): Promise<SlowClient> {
  const kind = (['head', 'body', 'silent'] as const)[index % 3]!
  const socket = await connected(port)
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  if (kind === 'head') socket.write('GET /api/books/b1 HTTP/1.1\r\nHost: localhost\r\nX-Slow: ')
  if (kind === 'body') {
    const head =
      'POST /api/books HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 10000\r\n\r\n'
    socket.write(`${head}{"book": `)
  }
  return {
    drip: () => {
      if (kind !== 'silent' && socket.writable) socket.write(' ')
    },
    ended: new Promise((resolve) => socket.once('close', () => resolve({ kind, text }))),
  }
}

/** A client that reads the beginning of the list, and then stops reading. */
async function stalled(
  port: number,
  query = '',
): Promise<{ readonly socket: Socket; readonly firstBytes: Promise<void> }> {
  const socket = await connected(port)
  const begun = new Promise<void>((resolve) =>
    socket.once('data', () => {
      socket.pause()
      resolve()
    }),
  )
  socket.write(`GET /api/books${query} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
  return { socket, firstBytes: begun }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      // From here on a reset counts as a normal end.
      socket.off('error', reject).on('error', () => {})
      resolve(socket)
    })
    socket.once('error', reject)
  })
}

async function settled(
  service: MeasuredService,
  isSettled: (now: Awaited<ReturnType<MeasuredService['measure']>>) => boolean,
): Promise<Awaited<ReturnType<MeasuredService['measure']>>> {
  const deadline = performance.now() + keptMs
  for (;;) {
    const now = await service.measure()
    if (isSettled(now) || performance.now() > deadline) return now
    await wait(100)
  }
}

/** The system's limit of open files per process. */
function openFiles(): number {
  const output = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  return output === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(output)
}

/** Prints the figures in the long form. */
function say(line: string): void {
  if (process.env.SLOW) console.log(line)
}

function wait(ms: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined), ms))
}
