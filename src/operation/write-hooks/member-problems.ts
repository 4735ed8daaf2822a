import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { shownMember } from '../write/write-outcome.ts'

export const memberProblemErrors = ['invalid-member', 'forbidden'] as const

const { problem } = refusalsOf(memberProblemErrors)

/**
 * A problem of one member, in the words of the developer: `'end' must be after start.`
 * @param path the name of the member in the model, or a path into its value: `editions.0.year`
 * @param payload what the client sent for this item; undefined if it sent nothing
 * @throws TypeError for a member that the model does not have
 */
export function memberProblem(
  code: (typeof memberProblemErrors)[number],
  model: ModelDescription,
  path: string,
  message: string,
  payload: ItemPayload | undefined,
): Problem {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  if (name !== 'id' && !model.fieldsByName.has(name))
    throw new TypeError(
      unknownName(`The model '${model.name}' has no member '${name}'`, name, [
        ...model.fieldsByName.keys(),
      ]),
    )
  const member = shownMember(model, name, payload)
  // A client must not learn the names of hidden fields.
  if (!member) return problem(code, asSentence(`The ${model.name} ${message}`))
  const steps = member.steps && [...member.steps, ...rest.map(stepOf)]
  return problem(
    code,
    asSentence(`'${[member.wireName, ...rest].join('.')}' ${message}`),
    payload && steps && { pointer: findDeepestExisting(payload.document, steps) },
  )
}

function stepOf(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
