import type { ApiError } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { unwrittenRuleMeta } from '../../error/unwritten-rule.ts'
import type { ModelDescription } from '../../model/model-description.ts'

/** Operations that write declare both. */
const ownErrors = ['still-referenced', 'invalid-member'] as const

const { problem, createApiError } = refusalsOf(ownErrors)

/** An item that a row of any table refers to. */
export function stillReferenced({ name }: ModelDescription): Problem {
  return problem(
    'still-referenced',
    `The ${name} is still referenced by another table of the database. Remove these references first.`,
  )
}

/** What the changes of a transaction are refused with as a whole. */
export function changesRefused(hasRemovals: boolean): ApiError {
  if (hasRemovals)
    return createApiError(
      'still-referenced',
      'Another table of the database still refers to what the request changes.',
    )
  const detail = 'The change violates a rule of the database.'
  return createApiError('invalid-member', detail, undefined, { meta: unwrittenRuleMeta.database })
}
