import { expect, test } from 'vitest'
import type { ApiRequest } from '../http/api-request.ts'
import { acquireLargeBody, maxInputHoldMs, releaseLargeBody } from './large-bodies.ts'

const largeBytes = 100_000

const requestOf = (signal?: AbortSignal): ApiRequest => ({
  method: 'POST',
  path: '/',
  query: '',
  headers: {},
  body: undefined,
  signal,
})

/** Whether the body may be read yet. */
function startAcquiring(
  request: ApiRequest,
  size = largeBytes,
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

test('four large bodies are processed at a time, and further ones in order, when the responses are made', async () => {
  const requests = Array.from({ length: 6 }, () => requestOf())
  const bodies = requests.map((request) => startAcquiring(request))
  await soon()
  expect(bodies.map((body) => body.isBegun)).toEqual([true, true, true, true, false, false])
  releaseLargeBody(requests[2]!)
  // A second release has no effect.
  releaseLargeBody(requests[2]!)
  await soon()
  expect(bodies.map((body) => body.isBegun)).toEqual([true, true, true, true, true, false])
  for (const request of requests) releaseLargeBody(request)
  await soon()
  releaseLargeBody(requests[5]!)
  expect(bodies[5]!.isBegun).toBe(true)
})

test('a small body never waits, a client that leaves ends the wait, and too many bodies are refused', async () => {
  const requests = Array.from({ length: 204 }, () => requestOf())
  const turns = requests.map((request) => acquireLargeBody(request, largeBytes))
  await expect(acquireLargeBody(requestOf(), largeBytes)).rejects.toThrow('overloaded')
  await acquireLargeBody(requestOf(), 1_000)
  for (let index = 0; index < turns.length; index++) {
    await turns[index]
    releaseLargeBody(requests[index]!)
  }
  const leaving = new AbortController()
  const four = Array.from({ length: 4 }, () => requestOf())
  for (const request of four) await acquireLargeBody(request, largeBytes)
  const waiting = acquireLargeBody(requestOf(leaving.signal), largeBytes)
  leaving.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
  for (const request of four) releaseLargeBody(request)
})

test('the input of an action that waits for something else blocks others for about a second only', async () => {
  const four = Array.from({ length: 4 }, () => requestOf())
  for (const request of four) await acquireLargeBody(request, largeBytes, maxInputHoldMs)
  const startedAt = performance.now()
  const next = requestOf()
  await acquireLargeBody(next, largeBytes)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  for (const request of [...four, next]) releaseLargeBody(request)
})
