import { refuse } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import { createId } from '../../model/create-id.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { isValidId, validIdRules } from '../../model/valid-id.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/** The identifier of a new item: the client's, where the model allows one, else one of ours. */
export function newItemId(
  { ids, name }: ModelDescription,
  sent: ItemPayload,
  problems: Problem[],
): string {
  if (!sent.id) {
    if (ids === 'client') {
      const source = { pointer: findDeepestExisting(sent.document, sent.steps) }
      problems.push(
        problem('invalid-id', `A new ${name} needs an id, which the client chooses.`, source),
      )
    }
    return sent.newId ?? createId()
  }
  const { value, steps } = sent.id
  if (ids === 'server')
    problems.push(
      problem('id-not-allowed', `The service chooses the id of a new ${name}; leave it out.`, {
        pointer: formatPointer(steps),
      }),
    )
  else if (!isValidId(value))
    problems.push(problem('invalid-id', validIdRules, { pointer: formatPointer(steps) }))
  return value
}

/** @throws ApiError `id-mismatch` when the body names another item than the path. */
export function refuseOtherId({ payload, context, view }: PayloadOperationInput): void {
  if (!payload.id || payload.id.value === context.id) return
  throw refuse(
    'id-mismatch',
    `The path names the ${view.model.name} '${context.id}', so the body cannot name another.`,
    { pointer: formatPointer(payload.id.steps) },
  )
}

/**
 * @throws ApiError `invalid-id` or `id-not-allowed` when no item can be created at the path's
 * address.
 */
export function refuseUnusableId({ context, view: { model } }: PayloadOperationInput): void {
  if (model.ids === 'server')
    throw refuse(
      'id-not-allowed',
      `The service chooses the id of a new ${model.name}; create it with POST.`,
    )
  if (!isValidId(context.id!)) throw refuse('invalid-id', validIdRules)
}
