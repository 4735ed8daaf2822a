import { refuse } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { deepestExisting, pointer } from '../http/json-pointer.ts'
import type { ModelDescription } from '../model/description.ts'
import { freshId } from '../model/fresh-id.ts'
import { isUsableId, usableIds } from '../model/usable-id.ts'
import type { SentItem } from '../serializer/sent.ts'
import type { BodyJob } from './job.ts'

/** The identifier of a new item: the client's, where the model allows one, else one of ours. */
export function newId({ ids, name }: ModelDescription, sent: SentItem, problems: Problem[]): string {
  if (!sent.id) {
    if (ids === 'client') {
      const source = { pointer: deepestExisting(sent.document, sent.steps) }
      problems.push(problem('invalid-id', `A new ${name} needs an id, which the client chooses.`, source))
    }
    return sent.newId ?? freshId()
  }
  const { value, steps } = sent.id
  if (ids === 'server')
    problems.push(
      problem('id-not-allowed', `The service chooses the id of a new ${name}; leave it out.`, {
        pointer: pointer(steps),
      }),
    )
  else if (!isUsableId(value)) problems.push(problem('invalid-id', usableIds, { pointer: pointer(steps) }))
  return value
}

/** @throws ApiError `id-mismatch` when the body names another item than the path. */
export function refuseOtherId({ sent, context, view }: BodyJob): void {
  if (!sent.id || sent.id.value === context.id) return
  throw refuse(
    'id-mismatch',
    `The path names the ${view.model.name} '${context.id}', so the body cannot name another.`,
    { pointer: pointer(sent.id.steps) },
  )
}

/** @throws ApiError `invalid-id` or `id-not-allowed` when no item can be created at the path's address. */
export function refuseUnusableId({ context, view: { model } }: BodyJob): void {
  if (model.ids === 'server')
    throw refuse('id-not-allowed', `The service chooses the id of a new ${model.name}; create it with POST.`)
  if (!isUsableId(context.id!)) throw refuse('invalid-id', usableIds)
}
