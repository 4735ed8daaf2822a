import { expect, test } from 'vitest'
import { author, book } from '../../test/support/sqlite-bookshelf.ts'
import { noFieldGuards } from '../access/field-guards.ts'
import { idEquals } from '../query/conditions.ts'
import { allItemsPlan, type PathCondition } from '../query/query-plan.ts'
import type { Context } from './context.ts'
import { guardPlan } from './guard-plan.ts'
import type { Guards } from './guards.ts'

test('the guards of related models come after those that a path has already', () => {
  const guards = {
    fields: noFieldGuards,
    isGuarded: (model) => model === author,
    readCondition: () => idEquals('a-1'),
  } as Partial<Guards> as Guards
  const own: PathCondition = { depth: 0, condition: idEquals('b-1') }
  const path = { names: ['author', 'name'], guards: [own] }
  const expected = { ...path, guards: [own, { depth: 1, condition: idEquals('a-1') }] }
  const plan = guardPlan(
    {
      ...allItemsPlan,
      condition: { kind: 'compare', path, operator: 'equal', value: 'Ann' },
      sort: [{ path, direction: 'asc' }],
    },
    book,
    guards,
    {} as Context,
  )
  expect(plan.condition).toMatchObject({ path: expected })
  expect(plan.sort).toEqual([{ path: expected, direction: 'asc' }])
})
