import { createRouter, model, type Policy, toMany, toOne } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { ModelRule } from './rule.ts'
import { writtenInverses } from './written-inverses.ts'

const Author = model(
  'author',
  { name: z.string(), books: toMany('book', { inverse: 'author' }) },
  { ids: 'client', upsert: true },
)
const Book = model('book', { title: z.string(), author: toOne('author', { optional: true }) })

/** The rule of an operation on authors. Query hooks hide some books from changes. */
function authorRule(policy: Policy, operation: ModelRule['operation']): ModelRule {
  const router = createRouter({ policy, store: memory() })
  router.prepare(Author)
  router
    .prepare(Book)
    .use({ query: { update: (query) => query.where('title').notEqual('Locked') } })
  return router.rules.find(
    (rule): rule is ModelRule => rule.operation === operation && rule.path.startsWith('/authors/'),
  )!
}

const namesOf = (rule: ModelRule) => writtenInverses(rule).map(({ name }) => name)
const codesOf = ({ errorResponses }: ModelRule) => errorResponses.map(({ code }) => code)

describe('The inverse relations that a request can change', () => {
  it('are none in the body of an item if the policy does not write them', () => {
    expect(namesOf(authorRule(rest(), 'UpdateItem'))).toEqual([])
    expect(namesOf(authorRule(jsonApi(), 'UpdateItem'))).toEqual(['books'])
  })

  it('are that of the path for a change of a linkage', () => {
    expect(namesOf(authorRule(jsonApi(), 'RelationshipPatch'))).toEqual(['books'])
  })

  it('are none for reads and deletions', () => {
    for (const operation of ['GetItem', 'DeleteItem', 'RelationshipGet'] as const)
      expect(namesOf(authorRule(jsonApi(), operation))).toEqual([])
  })

  it('decide whether the hooks of the other model can refuse the request', () => {
    for (const [operation, code] of [
      ['UpdateItem', 'forbidden'],
      ['ReplaceItem', 'not-found'],
    ] as const) {
      expect(codesOf(authorRule(rest(), operation))).not.toContain(code)
      expect(codesOf(authorRule(jsonApi(), operation))).toContain(code)
    }
  })
})
