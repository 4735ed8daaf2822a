import { expect, it } from 'vitest'
import { createRouter, model } from '../../../index.ts'
import { rest } from '../../../policy/rest/rest.ts'
import { memory } from '../../../store/memory/memory.ts'
import { compileSchemas } from '../compiled-schemas.ts'
import { describedOperations } from '../described-operation.ts'
import { outcomeAsExpected } from './any-response.ts'

/** What a check says to an error response to a valid request. */
function kindOf(
  hasUnknownRules: boolean,
  errors: readonly object[],
  status = 422,
  validate?: () => void,
): string | undefined {
  const router = createRouter({
    policy: rest(),
    store: { ...memory(), facts: { hasUnknownRules } },
  })
  router.prepare(model('book', {}, validate ? { validate } : {}))
  const document = router.toOpenApi() as object
  const operations = describedOperations(document)
  const operation = operations.find(({ id }) => id === 'postBooks')!
  const request = { expectedOutcome: 'success', operation } as Parameters<
    typeof outcomeAsExpected
  >[0]
  const body = Buffer.from(JSON.stringify({ errors }))
  const response = { status, headers: {}, body } as Parameters<typeof outcomeAsExpected>[1]
  return outcomeAsExpected(request, response, compileSchemas(document))?.kind
}

const ofDatabase = { code: 'invalid-member', meta: { violates: 'databaseRule' } }

it('expects violated rules of a database where the document says that there may be some', () => {
  expect(kindOf(true, [ofDatabase])).toBeUndefined()
})

it('expects no other refusal there', () => {
  expect(kindOf(true, [{ code: 'invalid-member' }, ofDatabase])).toBe('right-request-refused')
})

it('expects none where the store knows all rules', () => {
  expect(kindOf(false, [ofDatabase])).toBe('right-request-refused')
})

it('expects 400 for several errors that depend on other items', () => {
  expect(kindOf(false, [{ status: '409' }, { status: 404 }], 400)).toBeUndefined()
  expect(kindOf(false, [{ status: '409' }, { status: 422 }], 400)).toBe('right-request-refused')
  expect(kindOf(false, [{ status: '400' }], 400)).toBe('right-request-refused')
})

it('expects violated rules of whole items where the service has some', () => {
  const ofItem = { code: 'invalid-member', meta: { violates: 'itemRule' } }
  expect(kindOf(false, [ofItem])).toBe('right-request-refused')
  expect(kindOf(false, [ofItem], 422, () => {})).toBeUndefined()
  expect(kindOf(false, [ofItem, ofDatabase], 422, () => {})).toBe('right-request-refused')
})
