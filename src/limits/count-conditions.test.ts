import { expect, it } from 'vitest'
import { z } from 'zod'
import { model } from '../model/declare/model.ts'
import { toMany, toOne } from '../model/declare/relation.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import { always, negate, toFieldPath } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import { countConditions } from './count-conditions.ts'

const [author] = describeModels([
  model('author', { name: z.string(), books: toMany('book', { inverse: 'author' }) }),
  model('book', { title: z.string(), author: toOne('author'), genres: toMany('genre') }),
  model('genre', { name: z.string() }),
])

const some = (path: string, condition: Condition): Condition => ({
  kind: 'some',
  path: toFieldPath(path),
  condition,
})
const contains = (path: string): Condition => ({
  kind: 'text',
  path: toFieldPath(path),
  operator: 'contains',
  value: 'a',
})
const oneOf = (path: string): Condition => ({
  kind: 'oneOf',
  path: toFieldPath(path),
  values: ['a', 'b', 'c'],
})
const all = (...conditions: Condition[]): Condition => ({ kind: 'and', conditions })

it.each<[string, Condition, number, number, number]>([
  ['of the item itself', contains('name'), 1, 0, 1],
  ['that any related item satisfies', some('books', always), 1, 1, 0],
  ['of related items', some('books', all(contains('title'), oneOf('title'))), 4, 2, 1],
  ['beyond a further relation', some('books', contains('author.name')), 1, 1, 1],
  ['of items of related items', some('books', some('genres', contains('name'))), 1, 1, 1],
  ['that no related item satisfies', negate(some('books', oneOf('title'))), 3, 1, 0],
  ['of both', all(contains('name'), some('books', contains('title'))), 2, 1, 2],
])(
  'Conditions %s are counted with those that they consist of',
  (_, condition, conditions, relatedConditions, textSearches) => {
    const counts = { conditions, relatedConditions, textSearches }
    expect(countConditions(author!, condition)).toEqual(counts)
  },
)
