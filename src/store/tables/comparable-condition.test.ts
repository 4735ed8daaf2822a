import { expect, test } from 'vitest'
import { z } from 'zod'
import { model } from '../../model/declare/model.ts'
import { toMany, toOne } from '../../model/declare/relation.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { toFieldPath } from '../../query/conditions.ts'
import type { CompareOperator, Condition, Scalar } from '../../query/query-plan.ts'
import { postgresCodecs } from '../postgres/codecs.ts'
import { columnTypeOf } from './column-type.ts'
import { type ComparableCodecs, comparableCondition } from './comparable-condition.ts'

const [book] = describeModels([
  model('book', {
    title: z.string(),
    day: z.iso.date(),
    key: z.uuid(),
    at: z.iso.datetime({ offset: true }),
    times: z.array(z.iso.datetime({ offset: true })),
    pages: z.int(),
    sequel: toOne('book', { optional: true }),
    others: toMany('book'),
  }),
]) as readonly [Parameters<typeof comparableCondition>[1]]

const codecs: ComparableCodecs = {
  values: postgresCodecs,
  ofId: () => postgresCodecs.id,
  ofField: (_, field) => postgresCodecs[columnTypeOf(field)],
}
const convert = (condition: Condition) => comparableCondition(codecs, book, condition)
const compare = (name: string, operator: CompareOperator, value: Scalar): Condition => ({
  kind: 'compare',
  path: toFieldPath(name),
  operator,
  value,
})
const never = { kind: 'never' }
const always = { kind: 'always' }
const isNull = (name: string) => compare(name, 'equal', null)

test.each<[string, CompareOperator, string, unknown]>([
  ['day', 'equal', '2024-05-01', compare('day', 'equal', '2024-05-01')],
  ['day', 'equal', '2024-02-30', never],
  ['day', 'notEqual', 'x', always],
  ['day', 'lessThanOrEqual', '2024-05', compare('day', 'lessThan', '2024-05-01')],
  ['day', 'greaterThan', '2024', compare('day', 'greaterThanOrEqual', '2024-01-01')],
  ['day', 'lessThan', 'x', always],
  ['day', 'greaterThan', 'x', never],
  ['day', 'lessThan', '', isNull('day')],
  ['day', 'greaterThan', '', { kind: 'not', condition: isNull('day') }],
  ['day', 'lessThan', '0000-12-31', isNull('day')],
  ['day', 'greaterThan', '0000-01-01', { kind: 'not', condition: isNull('day') }],
  ['at', 'lessThanOrEqual', '0001-01-01T00:00:00+14:00', isNull('at')],
  ['at', 'greaterThan', '0000-01-01T00:00:00Z', { kind: 'not', condition: isNull('at') }],
  ['at', 'greaterThan', '9999-12-31T23:59:59-14:00', never],
  ['at', 'equal', '2024-05-01T10:00+02:00', compare('at', 'equal', '2024-05-01T08:00:00Z')],
  ['at', 'equal', '2024-05-01', never],
  ['at', 'lessThan', '2024-05-01', compare('at', 'lessThan', '2024-05-01T00:00:00Z')],
  ['key', 'equal', 'x', never],
  ['title', 'equal', 'a\0b', never],
  ['title', 'lessThan', 'a\0b', compare('title', 'lessThanOrEqual', 'a')],
  ['title', 'greaterThanOrEqual', 'a\uD800', compare('title', 'greaterThan', 'a')],
  ['id', 'equal', '\0', never],
  ['sequel', 'equal', '\0', never],
])('%s %s %j', (name, operator, value, expected) => {
  expect(convert(compare(name, operator, value))).toEqual(expected)
})

test('values that are no text stay as they are', () => {
  expect(convert(compare('pages', 'equal', 1.5))).toEqual(compare('pages', 'equal', 1.5))
  expect(convert(compare('day', 'lessThan', null))).toEqual(compare('day', 'lessThan', null))
})

test('lists lose the values that nothing can equal', () => {
  const oneOf = (values: Scalar[]): Condition => ({
    kind: 'oneOf',
    path: toFieldPath('day'),
    values,
  })
  expect(convert(oneOf(['2024-05-01', 'x', null]))).toEqual(oneOf(['2024-05-01', null]))
  const members = (quantity: 'any' | 'all', values: Scalar[]): Condition => ({
    kind: 'members',
    path: toFieldPath('times'),
    quantity,
    values,
  })
  expect(convert(members('any', ['2024-05-01T10:00+02:00', 'x']))).toEqual(
    members('any', ['2024-05-01T08:00:00Z']),
  )
  expect(convert(members('all', ['2024-05-01T10:00+02:00', 'x']))).toEqual(never)
})

test('conditions inside others and in guards are converted too', () => {
  const wrong = compare('day', 'equal', 'x')
  expect(convert({ kind: 'not', condition: { kind: 'or', conditions: [wrong] } })).toEqual({
    kind: 'not',
    condition: { kind: 'or', conditions: [never] },
  })
  const guarded = (names: string[], condition: Condition, depth = 1): Condition => ({
    kind: 'compare',
    path: { names, guards: [{ depth, condition }] },
    operator: 'equal',
    value: 'x',
  })
  expect(convert(guarded(['sequel', 'title'], wrong))).toEqual(
    guarded(['sequel', 'title'], never as Condition),
  )
  expect(convert(guarded(['sequel'], wrong))).toEqual(guarded(['sequel'], never as Condition))
  expect(convert(guarded(['title'], wrong, 0))).toEqual(guarded(['title'], never as Condition, 0))
  expect(convert(guarded(['sequel', 'title'], wrong, 0))).toEqual(
    guarded(['sequel', 'title'], never as Condition, 0),
  )
})

test('a search for a text that no column can hold finds nothing', () => {
  const search = (value: string): Condition => ({
    kind: 'text',
    path: toFieldPath('title'),
    operator: 'contains',
    value,
  })
  expect(convert(search('a'))).toEqual(search('a'))
  expect(convert(search('\0'))).toEqual(never)
})
