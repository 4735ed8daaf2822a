import { expect, test } from 'vitest'
import { fieldPathsIn, idEquals, toFieldPath } from './conditions.ts'
import { printQueryPlan } from './print-query-plan.ts'
import { allItemsPlan, type Condition, type FieldPath } from './query-plan.ts'

const equal = (path: FieldPath, value: string): Condition => ({
  kind: 'compare',
  path,
  operator: 'equal',
  value,
})
const ofOwner: FieldPath = { names: ['owner', 'email'] }
const guarded: FieldPath = {
  ...ofOwner,
  guards: [
    { depth: 0, condition: equal(toFieldPath('state'), 'open') },
    { depth: 1, condition: idEquals('ann') },
  ],
}

test('the paths of a condition include those of guards on the item itself', () => {
  expect(fieldPathsIn({ kind: 'not', condition: equal(guarded, 'x') })).toEqual([
    guarded,
    toFieldPath('state'),
  ])
})

test('a plan is printed with the item that each guard is about', () => {
  expect(printQueryPlan({ ...allItemsPlan, condition: equal(guarded, 'x') }).split('\n')[0]).toBe(
    'owner.email [item where state equal "open"] [owner where id equal "ann"] equal "x"',
  )
})
