import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiRequest } from '../../http/api-request.ts'
import type { Service } from '../service.ts'
import { Admission } from './admission.ts'
import { resolveOverload } from './overload-options.ts'

const service: Service = {
  basePath: '',
  isScan: ({ path }) => path === '/books',
  respond: () => Promise.reject(new Error('not asked')),
}
const item = { path: '/books/1' } as ApiRequest
const scan = { path: '/books' } as ApiRequest

describe('Admission', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setImmediate'] }))
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** How many of these requests, each of which takes a time, are admitted in one turn. */
  function admitted(admission: Admission, requests: readonly ApiRequest[], ms: number): number {
    let count = 0
    const now = vi.spyOn(performance, 'now')
    for (const request of requests) {
      now.mockReturnValue(count * ms)
      if (!admission.enter(request, service)) continue
      count++
      admission.leave(item)
    }
    return count
  }

  const many = (request: ApiRequest) => Array.from({ length: 200 }, () => request)

  it('admits requests for as long as a turn may take, and scans for half of it', () => {
    const admission = new Admission(resolveOverload(true)!)
    expect(admitted(admission, many(item), 1)).toBe(50)
    vi.runAllTimers()
    expect(admitted(admission, many(scan), 1)).toBe(32)
    vi.runAllTimers()
    expect(admitted(admission, many(scan), 0.5)).toBe(50)
  })

  it('admits the first requests of a turn however long they take', () => {
    const admission = new Admission(resolveOverload({ minPerTurn: 3 })!)
    expect(admitted(admission, many(scan), 900)).toBe(3)
    vi.runAllTimers()
    expect(admitted(admission, many(item), 900)).toBe(3)
  })

  it('admits no more than may wait for a response, half as many if they are scans, and others once one has left', () => {
    const admission = new Admission(resolveOverload({ maxPending: 10 })!)
    for (let count = 0; count < 5; count++) expect(admission.enter(item, service)).toBe(true)
    expect(admission.enter(scan, service)).toBe(false)
    for (let count = 0; count < 5; count++) expect(admission.enter(item, service)).toBe(true)
    vi.runAllTimers()
    expect(admission.enter(item, service)).toBe(false)
    admission.leave(item)
    expect(admission.enter(item, service)).toBe(true)
  })

  it('remembers nothing of the turn before', () => {
    const admission = new Admission(resolveOverload({ minPerTurn: 1 })!)
    expect(admitted(admission, many(item), 60)).toBe(1)
    vi.runAllTimers()
    expect(admitted(admission, many(item), 0)).toBe(200)
  })
})

it.each([
  [{ maxDelay: 3 }, /maxDelayMs/],
  ['yes', "must be true, false or an object; got 'yes'"],
  [null, 'must be true, false or an object; got null'],
  [{ minPerTurn: 0 }, 'must be an integer of at least 1; got 0'],
])('refuses the option overload: %j', (overload, message) => {
  expect(() => resolveOverload(overload as never)).toThrow(message)
})

it('refuses nothing without the option', () => {
  expect(resolveOverload()).toBe(undefined)
})
