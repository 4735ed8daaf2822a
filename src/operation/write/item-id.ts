import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import { createId, idRules, isValidId } from '../../model/id.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

export const itemIdErrors = ['invalid-id', 'id-not-allowed'] as const

const { problem, refuse } = refusalsOf(itemIdErrors)

/** The id of a new item: the client's, if the model allows it; otherwise a new one. */
export function newItemId(view: ModelView, payload: ItemPayload, problems: Problem[]): string {
  const { ids, name } = view.model
  if (!payload.id) {
    if (ids === 'client') {
      const source = { pointer: findDeepestExisting(payload.document, payload.steps) }
      problems.push(
        problem('invalid-id', `'id' is required: clients choose the id of a new ${name}.`, source),
      )
    }
    return payload.newId ?? createId()
  }
  const { value, steps } = payload.id
  if (ids === 'server')
    problems.push(
      problem('id-not-allowed', `The service chooses the id of a new ${name}. Omit 'id'.`, {
        pointer: formatPointer(steps),
      }),
    )
  else if (!isValidId(value))
    problems.push(problem('invalid-id', idRules, { pointer: formatPointer(steps) }))
  else if (view.reservedIds.has(value))
    problems.push(problem('invalid-id', reservedDetail(value), { pointer: formatPointer(steps) }))
  return value
}

/**
 * @throws ApiError `invalid-id` or `id-not-allowed` if no item can be created with the id in the
 * path
 */
export function refuseUnusableId({ context, view }: PayloadOperationInput): void {
  const { model } = view
  if (model.ids === 'server')
    throw refuse(
      'id-not-allowed',
      `The service chooses the id of a new ${model.name}. Create it with POST.`,
    )
  if (!isValidId(context.id!)) throw refuse('invalid-id', idRules)
  if (view.reservedIds.has(context.id!)) throw refuse('invalid-id', reservedDetail(context.id!))
}

/** The id has an address of its own, such as `/books/trash`. */
export function reservedDetail(id: string): string {
  return `The id '${id}' is reserved. Choose another.`
}
