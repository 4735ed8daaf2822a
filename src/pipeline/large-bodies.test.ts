import { expect, test } from 'vitest'
import type { ApiRequest } from '../http/api-request.ts'
import { acquireLargeBody, releaseLargeBody } from './large-bodies.ts'

const large = 100_000

const requestOf = (signal?: AbortSignal): ApiRequest => ({
  method: 'POST',
  path: '/',
  query: '',
  headers: {},
  body: undefined,
  signal,
})

/** Has the body got its turn? */
function begun(
  request: ApiRequest,
  size = large,
): { isBegun: boolean; readonly turn: Promise<void> } {
  const state = {
    isBegun: false,
    turn: acquireLargeBody(request, size).then(() => {
      state.isBegun = true
    }),
  }
  return state
}

const soon = () => new Promise((resolve) => setImmediate(resolve))

test('four large bodies are worked on at a time, and further ones in their order, as soon as those are answered', async () => {
  const requests = Array.from({ length: 6 }, () => requestOf())
  const bodies = requests.map((request) => begun(request))
  await soon()
  expect(bodies.map((body) => body.isBegun)).toEqual([true, true, true, true, false, false])
  releaseLargeBody(requests[2]!)
  // Once is enough.
  releaseLargeBody(requests[2]!)
  await soon()
  expect(bodies.map((body) => body.isBegun)).toEqual([true, true, true, true, true, false])
  for (const request of requests) releaseLargeBody(request)
  await soon()
  releaseLargeBody(requests[5]!)
  expect(bodies[5]!.isBegun).toBe(true)
})

test('a small body never waits, a body whose client leaves waits no longer, and too many are refused', async () => {
  const requests = Array.from({ length: 204 }, () => requestOf())
  const turns = requests.map((request) => acquireLargeBody(request, large))
  await expect(acquireLargeBody(requestOf(), large)).rejects.toThrow('overloaded')
  await acquireLargeBody(requestOf(), 1_000)
  for (let index = 0; index < turns.length; index++) {
    await turns[index]
    releaseLargeBody(requests[index]!)
  }
  const leaving = new AbortController()
  const four = Array.from({ length: 4 }, () => requestOf())
  for (const request of four) await acquireLargeBody(request, large)
  const left = acquireLargeBody(requestOf(leaving.signal), large)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  for (const request of four) releaseLargeBody(request)
})

test('bodies whose requests wait for something else keep others waiting for about a second only', async () => {
  const four = Array.from({ length: 4 }, () => requestOf())
  for (const request of four) await acquireLargeBody(request, large)
  const since = performance.now()
  const next = requestOf()
  await acquireLargeBody(next, large)
  expect(performance.now() - since).toBeLessThan(10_000)
  for (const request of [...four, next]) releaseLargeBody(request)
})
