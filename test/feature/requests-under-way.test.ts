import { setTimeout as wait } from 'node:timers/promises'
import { createRouter, model } from 'resourcery'
import { type LimitOptions, limit, type RequestCounter } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { client } from '../support/client.ts'

const Book = model('book', { title: z.string() })

/** As one in Redis does it, for the processes that share it. */
class SlowCounter implements RequestCounter {
  readonly underWay = new Map<string, Set<string>>()
  failure: Error | undefined

  async begin(client: string, request: string, limit: number): Promise<boolean> {
    await wait(1)
    if (this.failure) throw this.failure
    const requests = this.underWay.get(client) ?? new Set()
    this.underWay.set(client, requests)
    if (requests.size >= limit) return false
    requests.add(request)
    return true
  }

  async end(client: string, request: string): Promise<void> {
    await wait(1)
    if (this.failure) throw this.failure
    expect(this.underWay.get(client)?.delete(request)).toBe(true)
  }

  get count(): number {
    return [...this.underWay.values()].reduce((sum, { size }) => sum + size, 0)
  }
}

/** A router of its own for each process. */
function open(options: LimitOptions) {
  let end = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let running = 0
  const router = createRouter({ policy: rest(), store: memory() })
  router.use(limit({ by: ({ request }) => request.headers['x-user'], ...options }))
  router.use({
    around: async (_context, next) => {
      running++
      await ended
      return next()
    },
  })
  router.prepare(Book)
  const api = client(router)
  const get = (user: string) => api.get('/books/none', { 'x-user': user })
  return { get, end, running: () => running }
}

describe('limit() with a counter', () => {
  it('counts the requests of a client for all processes', async () => {
    const counter = new SlowCounter()
    const [one, other] = [
      open({ concurrent: 3, requestCounter: counter }),
      open({ concurrent: 3, requestCounter: counter }),
    ]
    const first = [one.get('anna'), one.get('anna'), other.get('anna')]
    await expect.poll(() => one.running() + other.running()).toBe(3)
    for (const { get } of [one, other]) {
      const refused = await get('anna')
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
      expect(refused.errors).toMatchObject([
        { code: 'too-many-requests', detail: expect.stringContaining('At most 3 requests') },
      ])
    }
    const ofBert = other.get('bert')
    await expect.poll(() => other.running()).toBe(2)
    one.end()
    other.end()
    for (const { status } of await Promise.all([...first, ofBert])) expect(status).toBe(404)
    await expect.poll(() => counter.count).toBe(0)
    expect((await one.get('anna')).status).toBe(404)
  })

  it.each([
    ['allow', 404],
    ['refuse', 503],
  ] as const)(
    'lets requests pass while it fails, or refuses them: %s',
    async (onFailure, status) => {
      const counter = new SlowCounter()
      const errors: unknown[] = []
      const onError = (error: unknown) => errors.push(error)
      const { get, end } = open({ concurrent: 1, requestCounter: counter, onFailure, onError })
      end()
      counter.failure = new Error('connect ECONNREFUSED')
      const response = await get('anna')
      expect(response.status).toBe(status)
      expect(response.text).not.toContain('ECONNREFUSED')
      expect(errors).toEqual([counter.failure])
    },
  )

  it('gives up a counter that takes too long, and ends what it counts later', async () => {
    const counter = new SlowCounter()
    const ended: string[] = []
    const errors: unknown[] = []
    const late: RequestCounter = {
      begin: async (...call) => {
        await wait(2_500)
        return counter.begin(...call)
      },
      end: async (...call) => {
        ended.push(call[1])
        await counter.end(...call)
      },
    }
    const { get, end } = open({
      concurrent: 1,
      requestCounter: late,
      onError: (error) => errors.push(error),
    })
    end()
    expect((await get('anna')).status).toBe(404)
    expect(errors).toMatchObject([
      { message: "'begin' of the option 'requestCounter' took more than 2 s." },
    ])
    await expect.poll(() => ended.length, { timeout: 5_000 }).toBe(1)
    await expect.poll(() => counter.count).toBe(0)
  })

  it.each([undefined, 'false', 3, {}])('takes %j of begin for a failure', async (value) => {
    const errors: unknown[] = []
    const odd = { begin: () => value, end: () => undefined } as unknown as RequestCounter
    const { get, end } = open({
      concurrent: 1,
      requestCounter: odd,
      onFailure: 'refuse',
      onError: (error) => errors.push(error),
    })
    end()
    expect((await get('anna')).status).toBe(503)
    expect(errors).toMatchObject([
      { message: expect.stringContaining('must return true or false; got') },
    ])
  })

  it('warns of an onError that throws, and goes on', async () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
    onTestFinished(() => warn.mockRestore())
    const counter = new SlowCounter()
    const { get, end, running } = open({
      concurrent: 1,
      requestCounter: counter,
      onError: () => {
        throw new Error('no logger')
      },
    })
    const response = get('anna')
    await expect.poll(running).toBe(1)
    counter.failure = new Error('gone')
    end()
    expect((await response).status).toBe(404)
    await expect
      .poll(() => warn.mock.calls)
      .toEqual([["'onError' of limit() threw: Error: no logger", { code: 'RESOURCERY_LIMITER' }]])
  })

  it('reports that a request could not be ended, and sends its response', async () => {
    const counter = new SlowCounter()
    const errors: unknown[] = []
    const { get, end, running } = open({
      concurrent: 1,
      requestCounter: counter,
      onError: (error) => errors.push(error),
    })
    const response = get('anna')
    await expect.poll(running).toBe(1)
    counter.failure = new Error('gone')
    end()
    expect((await response).status).toBe(404)
    await expect.poll(() => errors).toEqual([counter.failure])
  })

  it.each([
    [
      { points: 1, seconds: 1, requestCounter: new SlowCounter() },
      "'requestCounter' without 'concurrent'",
    ],
    [{ concurrent: 1, requestCounter: {} }, "must be an object with the methods 'begin' and 'end'"],
    [
      { concurrent: 1, requestCounter: null },
      "must be an object with the methods 'begin' and 'end'",
    ],
  ])('refuses %j', (options, message) => {
    expect(() => limit(options as LimitOptions)).toThrow(message)
  })
})
