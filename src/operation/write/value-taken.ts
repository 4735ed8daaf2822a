import type { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'

export const valueTakenErrors = ['value-taken'] as const

const { createApiError } = refusalsOf(valueTakenErrors)

export function valueTaken(
  model: ModelDescription,
  name: string,
  payload: ItemPayload | undefined,
): ApiError {
  const field = model.fieldsByName.get(name)!
  const steps = payload?.values.get(name)?.steps ?? payload?.steps
  const source = payload && steps && { pointer: findDeepestExisting(payload.document, steps) }
  return createApiError(
    'value-taken',
    `'${field.wireName}' must be unique; another ${model.name} already has this value.`,
    source,
  )
}
