import { expect, it } from 'vitest'
import type { BatchRule, ModelRule } from '../rule/rule.ts'
import { onlyRunner } from './features.ts'

const rule = { operation: 'Create', view: { model: { name: 'book' } } } as unknown as ModelRule
const batch = { operation: 'Batch' } as BatchRule

it('lets one feature run the operations of a rule', () => {
  expect(onlyRunner(rule, [])).toBeUndefined()
  expect(onlyRunner(rule, ['one'])).toBe('one')
})

it('names the rule whose operations two features run', () => {
  expect(() => onlyRunner(rule, ['one', 'other'])).toThrow(
    "Two features run the operation 'Create' of the model 'book'.",
  )
  expect(() => onlyRunner(batch, ['one', 'other'])).toThrow(
    "Two features run the operation 'Batch' of the router.",
  )
})
