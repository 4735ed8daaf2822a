import { createRouter, model, toMany } from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory } from 'resourcery/memory'
import type { NoRequest } from 'resourcery/policy'
import { expect, it } from 'vitest'

const Tag = model('tag', {})
const Book = model('book', { tags: toMany('tag') })
const noRequest: NoRequest = { kind: 'none' }

it('A rule that changes a relation needs a body, unless the relation refuses the change', () => {
  const policy = jsonApi()
  const router = createRouter({
    store: memory(),
    policy: {
      ...policy,
      rules: (...context) =>
        policy
          .rules(...context)
          .map((rule) =>
            rule.operation === 'RelationshipPost' ? { ...rule, request: noRequest } : rule,
          ),
    },
  })
  router.prepare(Tag)
  router.prepare(Book)
  expect(() => router.toOpenApi({ info: { title: 'Books', version: '1' } })).toThrow(
    "'POST /books/:id/relationships/tags' changes a relation, so it needs a body.",
  )
})
