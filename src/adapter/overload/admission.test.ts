import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ApiRequest } from '../../http/api-request.ts'
import { gauges, listenTo, scansQueue, writesQueue } from '../../telemetry/channels.ts'
import type { Service } from '../service.ts'
import { Admission } from './admission.ts'
import { resolveOverload } from './overload-options.ts'

const service: Service = {
  basePath: '',
  isScan: ({ path }) => path === '/books',
  respond: () => Promise.reject(new Error('not asked')),
}
const item = { method: 'GET', path: '/books/1' } as ApiRequest
const write = { method: 'PATCH', path: '/books/1' } as ApiRequest
const scan = { method: 'GET', path: '/books' } as ApiRequest

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
      if (!admission.admits(request, service)) continue
      count++
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

  it('refuses what would join a long queue of a store, and scans from half of it on', () => {
    const admission = new Admission(resolveOverload({ maxWaiting: 10 })!)
    const lengths = { [writesQueue]: 0, [scansQueue]: 0 }
    let waitingCalls = 0
    const end = listenTo(gauges, (reader) => {
      for (const [of, length] of Object.entries(lengths)) reader.read('queue', length, of)
      reader.read('waitingCalls', waitingCalls, 'postgresql')
      reader.read('connectionsUsed', 1_000, 'postgresql')
    })
    const admittedNow = () => {
      vi.runAllTimers()
      return [item, write, scan].map((request) => admission.admits(request, service))
    }
    expect(admittedNow()).toEqual([true, true, true])
    lengths[writesQueue] = 10
    expect(admittedNow()).toEqual([true, false, true])
    lengths[writesQueue] = 0
    // It refuses by itself.
    lengths[scansQueue] = 1_000
    expect(admittedNow()).toEqual([true, true, true])
    waitingCalls = 5
    expect(admittedNow()).toEqual([true, true, false])
    waitingCalls = 10
    expect(admittedNow()).toEqual([false, false, false])
    end()
    expect(admittedNow()).toEqual([true, true, true])
  })

  it('leaves queues to a service that limits them itself', () => {
    const byCaller = { ...service, limitsItsQueues: true }
    const admission = new Admission(resolveOverload({ maxWaiting: 10 })!)
    const end = listenTo(gauges, (reader) => {
      reader.read('queue', 1_000, writesQueue)
      reader.read('waitingCalls', 1_000, 'postgresql')
    })
    const admittedBy = (each: Service) =>
      [item, write, scan].map((request) => admission.admits(request, each))
    expect(admittedBy(byCaller)).toEqual([true, true, true])
    expect(admittedBy(service)).toEqual([false, false, false])
    end()
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
