import { expect, it } from 'vitest'
import { onlyRunner } from './features.ts'

it('lets one feature run the operations of a rule', () => {
  expect(onlyRunner([])).toBeUndefined()
  expect(onlyRunner(['one'])).toBe('one')
  expect(() => onlyRunner(['one', 'other'])).toThrow('Two features run the operations of one rule.')
})
