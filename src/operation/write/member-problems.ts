import type { ErrorSource, Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { unwrittenRuleMeta } from '../../error/unwritten-rule.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { shownMember } from './shown-member.ts'

export const memberProblemErrors = ['invalid-member', 'forbidden'] as const

const { problem } = refusalsOf(memberProblemErrors)

/**
 * A problem of one member, in the words of the developer: `'end' must be after start.`
 * @param path the name of the member in the model, or a path into its value: `editions.0.year`
 * @param payload what the client sent for this item; undefined if it sent nothing
 * @throws TypeError for a member that the model does not have
 */
export function invalidMember(
  model: ModelDescription,
  path: string,
  message: string,
  payload: ItemPayload | undefined,
): Problem {
  const { detail, source } = memberMessage(model, path, message, payload)
  return problem('invalid-member', detail, source)
}

/** The same, where a rule of the service for whole items is violated. */
export function violatedItemRule(
  model: ModelDescription,
  path: string,
  message: string,
  payload: ItemPayload | undefined,
): Problem {
  return { ...invalidMember(model, path, message, payload), meta: unwrittenRuleMeta.item }
}

/** A member that has its value once it is set, and keeps it. */
export function immutableMember(
  model: ModelDescription,
  name: string,
  payload: ItemPayload | undefined,
): Problem {
  const { detail, source } = memberMessage(model, name, 'cannot change', payload)
  return problem('forbidden', detail, source)
}

function memberMessage(
  model: ModelDescription,
  path: string,
  message: string,
  payload: ItemPayload | undefined,
): { readonly detail: string; readonly source: ErrorSource | undefined } {
  const [name, ...rest] = path.split('.') as [string, ...string[]]
  if (name !== 'id' && !model.fieldsByName.has(name))
    throw new TypeError(
      unknownName(`Unknown member '${name}' of the model '${model.name}'`, name, [
        ...model.fieldsByName.keys(),
      ]),
    )
  const member = shownMember(model, name, payload)
  // A client must not learn the names of hidden fields.
  if (!member) return { detail: asSentence(`The ${model.name} ${message}`), source: undefined }
  const steps = member.steps && [...member.steps, ...rest.map(toStep)]
  return {
    detail: asSentence(`'${[member.wireName, ...rest].join('.')}' ${message}`),
    source: payload && steps && { pointer: findDeepestExisting(payload.document, steps) },
  }
}

function toStep(text: string): string | number {
  return /^\d+$/.test(text) ? Number(text) : text
}

function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
