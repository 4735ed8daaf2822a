import { expect, test } from 'vitest'
import type { PlanStep } from '../store/store-plan.ts'
import { planText } from './plan-command.ts'

const steps: readonly PlanStep[] = [
  { kind: 'instant', summary: 'Add a column.', sql: ['alter table a add b text'] },
  { kind: 'asks', summary: 'Add c.', sql: [], missing: 7, ids: ['1', '2'] },
  { kind: 'never', summary: 'Drop d.', sql: ['drop table d'] },
  { kind: 'refused', summary: 'e does not fit.' },
]

test('steps are printed with their kinds, and with the rows that need a value', () => {
  expect(planText(steps, false)).toBe(
    [
      'instant: Add a column.',
      'asks you: Add c.',
      '  7 items have no value: 1, 2, …',
      'never by itself: Drop d.',
      'refused: e does not fit.',
    ].join('\n'),
  )
})

test('a script has statements, and those that drop something as comments', () => {
  expect(planText(steps, true)).toBe(
    [
      '-- instant: Add a column.',
      'alter table a add b text;',
      '-- asks you: Add c.',
      '--   7 items have no value: 1, 2, …',
      '-- never by itself: Drop d.',
      '-- drop table d;',
      '-- refused: e does not fit.',
    ].join('\n'),
  )
})

test('without steps there is nothing to do', () => {
  expect(planText([], false)).toBe('Nothing to do.')
  expect(planText([], true)).toBe('-- Nothing to do.')
})
