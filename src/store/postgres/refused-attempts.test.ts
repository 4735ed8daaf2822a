import { expect, it } from 'vitest'
import { StoreUnavailable } from '../store-failures.ts'
import { PostgresError } from './postgres-error.ts'
import { RefusedAttempts } from './refused-attempts.ts'

it('takes a hundred refusals, also of other statements at the same place', () => {
  const attempts = new RefusedAttempts()
  const error = Object.create(PostgresError.prototype, { message: { value: 'taken' } })
  let count = 0
  const add = () => attempts.add(0, [{ sql: `select ${count}`, parameters: [] }], error)
  for (; count < 100; count++) add()
  expect(add).toThrow(StoreUnavailable)
})
