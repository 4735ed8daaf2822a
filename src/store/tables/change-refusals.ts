import type { ApiError } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { changeRefused } from '../refused-change.ts'

/** Operations that delete declare it. */
const ownErrors = ['still-referenced'] as const

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
  return changeRefused()
}
