import { describe, expect, it } from 'vitest'
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

function admissionWith(pending: number): Admission {
  return new Admission(resolveOverload(true)!, () => pending)
}

/** How many of a hundred requests are admitted. */
function admitted(admission: Admission, request: ApiRequest): number {
  let count = 0
  for (let index = 0; index < 100; index++) if (admission.admits(request, service)) count++
  return count
}

describe('Admission', () => {
  it('admits all while timers are in time, or few requests are in progress', () => {
    const idle = admissionWith(256)
    for (let sample = 0; sample < 100; sample++) idle.sample(49)
    expect(idle.isLimiting).toBe(false)
    const few = admissionWith(31)
    for (let sample = 0; sample < 100; sample++) few.sample(5_000)
    expect(few.isLimiting).toBe(false)
  })

  it('takes one late timer for a pause of the process', () => {
    const admission = admissionWith(100)
    for (const delayMs of [900, 0, 900, 0]) admission.sample(delayMs)
    expect(admission.isLimiting).toBe(false)
  })

  it('refuses scans first, then a share of other requests, and never all of them', () => {
    const admission = admissionWith(100)
    for (let sample = 0; sample < 11; sample++) admission.sample(60)
    expect(admission.isLimiting).toBe(true)
    expect(admitted(admission, item)).toBe(100)
    expect(admitted(admission, scan)).toBeLessThan(60)
    for (let sample = 0; sample < 15; sample++) admission.sample(60)
    expect(admitted(admission, scan)).toBe(0)
    expect(admitted(admission, item)).toBeLessThan(100)
    for (let sample = 0; sample < 100; sample++) admission.sample(600)
    expect(admitted(admission, item)).toBeGreaterThan(0)
    expect(admitted(admission, item)).toBeLessThan(10)
  })

  it('refuses where too many requests are in progress, whatever the delay', () => {
    const admission = admissionWith(257)
    for (let sample = 0; sample < 30; sample++) admission.sample(0)
    expect(admitted(admission, scan)).toBe(0)
  })

  it('admits all again within a second of samples in time', () => {
    const admission = admissionWith(100)
    for (let sample = 0; sample < 100; sample++) admission.sample(600)
    for (let sample = 0; sample < 50; sample++) admission.sample(0)
    expect(admission.isLimiting).toBe(false)
  })
})

it('refuses options of overload that do not exist', () => {
  expect(() => resolveOverload({ maxDelay: 3 } as never)).toThrow(/maxDelayMs/)
  expect(resolveOverload()).toBe(undefined)
})
