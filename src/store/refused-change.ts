import type { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import { unwrittenRuleMeta } from '../error/unwritten-rule.ts'

const ownErrors = ['invalid-member'] as const

const { createApiError } = refusalsOf(ownErrors)

/** What a change is refused with that breaks a rule of the database about other items. */
export function changeRefused(): ApiError {
  const detail = 'The change violates a rule of the database.'
  return createApiError('invalid-member', detail, undefined, { meta: unwrittenRuleMeta.database })
}
