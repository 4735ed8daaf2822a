import type { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { FeedInput } from '../operation-input.ts'

export const invalidPositionErrors = ['invalid-position'] as const

const { createApiError } = refusalsOf(invalidPositionErrors)

/** For a position of another log, of other lists or of another caller. */
export function invalidPosition({ sinceSource, lists }: FeedInput): ApiError {
  const expected =
    lists.length === 1
      ? "'next' of these changes or 'Changes-Position' of the same list, with the same filter and caller"
      : "'next' of these changes, with the same models, filters and caller"
  return createApiError(
    'invalid-position',
    `Invalid position. Use ${expected}; or 'start'.`,
    sinceSource,
  )
}
