import { expect, test, vi } from 'vitest'
import { lazy } from './lazy.ts'

test('makes a value when it is first asked for, and never again, even where it is undefined', () => {
  const make = vi.fn(() => undefined)
  const made = lazy(make)
  expect(make).not.toHaveBeenCalled()
  made()
  made()
  expect(make).toHaveBeenCalledOnce()
})

test('tries again where making the value failed', () => {
  const make = vi.fn(() => 'made')
  make.mockImplementationOnce(() => {
    throw new Error('not yet')
  })
  const made = lazy(make)
  expect(made).toThrow('not yet')
  expect([made(), made()]).toEqual(['made', 'made'])
  expect(make).toHaveBeenCalledTimes(2)
})
