import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type ClientOptions, createSender, type Outgoing } from './sender.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Answer = Response | Error

/** Responds with one answer after the other, and keeps what was sent. */
function senderOf(
  answers: readonly Answer[],
  repeatsWrites = false,
  options: Partial<ClientOptions> = {},
) {
  const requests: { readonly atMs: number; readonly headers: Headers }[] = []
  const start = Date.now()
  const send = createSender(
    {
      url: 'http://shop.example/api/',
      ...options,
      fetch: async (_, init) => {
        requests.push({ atMs: Date.now() - start, headers: new Headers(init!.headers) })
        init!.signal?.throwIfAborted()
        const answer = answers[requests.length - 1]!
        if (answer instanceof Error) throw answer
        return answer
      },
    },
    repeatsWrites,
  )
  const run = async (outgoing: Partial<Outgoing> = {}) => {
    const sending = send({ method: 'GET', path: '/books', ...outgoing })
    sending.catch(() => {})
    await vi.runAllTimersAsync()
    return sending
  }
  return { run, requests }
}

const lost = new TypeError('fetch failed')
const busy = (retryAfter: string, status = 503) =>
  new Response(null, { status, headers: { 'retry-after': retryAfter } })
const fine = () => new Response('{}')

describe('A request', () => {
  it('that reads is sent again after a lost connection, and with growing gaps', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { run, requests } = senderOf([lost, lost, fine()])
    expect((await run()).status).toBe(200)
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 250, 750])
  })

  it('is sent again as often as the client says', async () => {
    const { run, requests } = senderOf([lost, lost], false, { maxRetries: 1 })
    await expect(run()).rejects.toBe(lost)
    expect(requests).toHaveLength(2)
  })

  it('waits as long as the service says', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    const { run, requests } = senderOf([
      busy('2'),
      busy(new Date(Date.now() + 5_000).toUTCString()),
      fine(),
    ])
    await run()
    expect(requests[1]!.atMs).toBe(2_000)
    expect(requests[2]!.atMs).toBeGreaterThanOrEqual(4_000)
  })

  it('is not sent again where the service wants to be left alone for long, or says no time', async () => {
    const { run, requests } = senderOf([busy('3600')])
    expect((await run()).status).toBe(503)
    expect(requests).toHaveLength(1)
    const without = senderOf([new Response(null, { status: 503 })])
    expect((await without.run()).status).toBe(503)
    expect(without.requests).toHaveLength(1)
  })

  it('that writes is sent again after a limit only, which refuses before anything is done', async () => {
    const limited = senderOf([busy('1', 429), fine()])
    expect((await limited.run({ method: 'POST', body: '{}' })).status).toBe(200)
    for (const answer of [lost, busy('1')]) {
      const { run, requests } = senderOf([answer, fine()])
      await run({ method: 'PATCH', body: '{}' }).catch(() => {})
      expect(requests).toHaveLength(1)
    }
  })

  it('that writes is sent again with the same key where the service repeats responses', async () => {
    const { run, requests } = senderOf([lost, busy('1', 409), busy('1'), fine()], true)
    expect((await run({ method: 'DELETE' })).status).toBe(200)
    const keys = requests.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[0]).toMatch(/^"[\w-]{20,}"$/)
    expect(new Set(keys).size).toBe(1)
    await run({ method: 'DELETE' }).catch(() => {})
    const last = requests.at(-1)!.headers.get('idempotency-key')
    expect(last).not.toBe(keys[0])
  })

  it('with a file has no key, and is not sent again after a lost connection', async () => {
    const { run, requests } = senderOf([lost], true)
    await expect(run({ method: 'POST', body: new Blob(['a']) })).rejects.toBe(lost)
    expect(requests[0]!.headers.get('idempotency-key')).toBeNull()
  })

  it('has a new token for each attempt, and the headers of the client', async () => {
    const tokens = ['one', 'two']
    const { run, requests } = senderOf([busy('1', 429), fine()], false, {
      token: async () => tokens.shift(),
      headers: { 'x-api-key': 'k' },
    })
    await run()
    expect(requests.map(({ headers }) => headers.get('authorization'))).toEqual([
      'Bearer one',
      'Bearer two',
    ])
    expect(requests[1]!.headers.get('x-api-key')).toBe('k')
  })

  it('ends while it waits where its signal is aborted', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(new Error('Left')), 100)
    const { run, requests } = senderOf([busy('5'), fine()])
    await expect(run({ signal: controller.signal })).rejects.toThrow('Left')
    expect(requests).toHaveLength(1)
  })
})
