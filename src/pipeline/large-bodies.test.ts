import { expect, test } from 'vitest'
import type { ApiRequest } from '../http/api-request.ts'
import { endLargeBody, largeBodyTurn } from './large-bodies.ts'

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
function begun(request: ApiRequest, size = large): { isBegun: boolean; readonly turn: Promise<void> } {
  const state = {
    isBegun: false,
    turn: largeBodyTurn(request, size).then(() => {
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
  endLargeBody(requests[2]!)
  // Once is enough.
  endLargeBody(requests[2]!)
  await soon()
  expect(bodies.map((body) => body.isBegun)).toEqual([true, true, true, true, true, false])
  for (const request of requests) endLargeBody(request)
  await soon()
  endLargeBody(requests[5]!)
  expect(bodies[5]!.isBegun).toBe(true)
})

test('a small body never waits, a body whose client leaves waits no longer, and too many are refused', async () => {
  const requests = Array.from({ length: 204 }, () => requestOf())
  const turns = requests.map((request) => largeBodyTurn(request, large))
  await expect(largeBodyTurn(requestOf(), large)).rejects.toThrow('overloaded')
  await largeBodyTurn(requestOf(), 1_000)
  for (let index = 0; index < turns.length; index++) {
    await turns[index]
    endLargeBody(requests[index]!)
  }
  const leaving = new AbortController()
  const four = Array.from({ length: 4 }, () => requestOf())
  for (const request of four) await largeBodyTurn(request, large)
  const left = largeBodyTurn(requestOf(leaving.signal), large)
  leaving.abort(new Error('gone'))
  await expect(left).rejects.toThrow('gone')
  for (const request of four) endLargeBody(request)
})

test('bodies whose requests wait for something else keep others waiting for about a second only', async () => {
  const four = Array.from({ length: 4 }, () => requestOf())
  for (const request of four) await largeBodyTurn(request, large)
  const since = performance.now()
  const next = requestOf()
  await largeBodyTurn(next, large)
  expect(performance.now() - since).toBeLessThan(10_000)
  for (const request of [...four, next]) endLargeBody(request)
})
