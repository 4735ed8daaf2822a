import { describe, it } from 'vitest'
import { refusalsOf } from '../../src/error/refusals.ts'
import { findItemErrors } from '../../src/operation/find-item.ts'
import { preconditionErrors } from '../../src/operation/preconditions.ts'

describe('the refusals of an operation', () => {
  const { refuse, createApiError, problem, temporaryRefusal } = refusalsOf(preconditionErrors)

  it('accept the codes that it declares', () => {
    const calls = () => [
      () => refuse('precondition-failed', 'The item was changed.', { header: 'If-Match' }),
      createApiError('precondition-required', 'If-Match is required.'),
      problem('precondition-failed', 'The item was changed.'),
      temporaryRefusal('precondition-failed', 'The item was changed.', 2),
    ]
    return calls
  })

  it('do not compile with any other code', () => {
    const calls = () => [
      // @ts-expect-error another operation declares it
      () => refuse('not-found', 'There is no such book.'),
      // @ts-expect-error another operation declares it
      createApiError('conflict', 'The book kept changing.'),
      // @ts-expect-error the catalog does not have it
      problem('precondition', 'The item was changed.'),
      // @ts-expect-error another operation declares it
      temporaryRefusal('overloaded', 'Too many wait.'),
      // @ts-expect-error the finder of items declares `not-found` only
      () => refusalsOf(findItemErrors).refuse('precondition-failed', 'The item was changed.'),
    ]
    return calls
  })

  it('cannot be declared with a code that the catalog does not have', () => {
    // @ts-expect-error the catalog does not have it
    return () => refusalsOf(['no-such-code'] as const)
  })
})
