import { refusalsOf } from '../../error/refusals.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

export const otherIdErrors = ['id-mismatch'] as const

const { refuse } = refusalsOf(otherIdErrors)

/** @throws ApiError `id-mismatch` if the ids in the body and the path differ */
export function refuseOtherId({ payload, context }: PayloadOperationInput): void {
  if (!payload.id || payload.id.value === context.id) return
  throw refuse(
    'id-mismatch',
    `The id in the body does not match the id '${context.id}' in the path.`,
    { pointer: formatPointer(payload.id.steps) },
  )
}
