import { expect, test, vi } from 'vitest'
import { lazy } from './lazy.ts'

test('computes a value on the first call, and never again, even if it is undefined', () => {
  const compute = vi.fn(() => undefined)
  const value = lazy(compute)
  expect(compute).not.toHaveBeenCalled()
  value()
  value()
  expect(compute).toHaveBeenCalledOnce()
})

test('tries again after computing the value has failed', () => {
  const compute = vi.fn(() => 'computed')
  compute.mockImplementationOnce(() => {
    throw new Error('not yet')
  })
  const value = lazy(compute)
  expect(value).toThrow('not yet')
  expect([value(), value()]).toEqual(['computed', 'computed'])
  expect(compute).toHaveBeenCalledTimes(2)
})
