import { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import { fieldsOfRange, type ModelDescription } from '../../model/model-description.ts'
import { toWords } from '../../model/naming.ts'
import type { ItemPayload, Steps } from '../../serializer/payload.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { joinWords } from '../../text/message-text.ts'

export const valueTakenErrors = ['value-taken'] as const

const { problem } = refusalsOf(valueTakenErrors)

/** Points to each field that the client sent, or to the item if it sent none of them. */
export function valuesTaken(
  model: ModelDescription,
  names: readonly string[],
  payload: ItemPayload | undefined,
): ApiError {
  const members = names.map((name) => ({
    steps: sentSteps(payload, name),
    field: model.fieldsByName.get(name)!,
  }))
  const known = members.filter(
    ({ steps, field }) =>
      !payload?.hiddenNames?.has(field.wireName) &&
      (steps || field.kind !== 'value' || isShown(field)),
  )
  const detail = takenDetail(
    model,
    known.map(({ field }) => `'${field.wireName}'`),
    isRange(model, names),
  )
  if (!payload) return new ApiError([problem('value-taken', detail)])
  const { memberSteps } = payload
  // What the service filled in has no place of its own in the document.
  const places = known.flatMap(({ steps }) =>
    steps && steps !== memberSteps.values && steps !== memberSteps.relations ? [steps] : [],
  )
  const pointerTo = (steps: Steps) => findDeepestExisting(payload.document, steps)
  // A default has steps too, which lead to nothing in the document.
  const sent = places.map(pointerTo).filter((each, index) => each === formatPointer(places[index]!))
  const [first = pointerTo(places[0] ?? payload.steps), ...others] = sent
  const problemAt = (pointer: string) => problem('value-taken', detail, { pointer })
  return new ApiError([problemAt(first), ...others.map(problemAt)])
}

function sentSteps(payload: ItemPayload | undefined, name: string): Steps | undefined {
  const linkage = payload?.relations.get(name)
  if (linkage) return linkage.kind === 'one' ? linkage.id.steps : linkage.steps
  return payload?.values.get(name)?.steps
}

function isRange({ uniqueRanges }: ModelDescription, names: readonly string[]): boolean {
  return uniqueRanges.some((range) => {
    const fields = fieldsOfRange(range)
    return (
      fields.length === names.length && fields.every(({ name }, index) => name === names[index])
    )
  })
}

/** A client must not learn the names of hidden fields. */
function takenDetail(
  { name }: ModelDescription,
  names: readonly string[],
  isOfRange: boolean,
): string {
  if (isOfRange && names.length > 0)
    return `${joinWords(names)} must not overlap those of another ${toWords(name)}.`
  const other = `another ${toWords(name)} already has`
  if (names.length === 0) return `The values are not unique; ${other} them.`
  return names.length === 1
    ? `${names[0]} must be unique; ${other} this value.`
    : `${joinWords(names)} must be unique together; ${other} these values.`
}
