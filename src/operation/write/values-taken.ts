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

/**
 * One problem, which points to the first field that the client sent, or to the item if it sent none
 * of them. Its `meta` names all of several fields.
 */
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
  const fields = known.map(({ field }) => field.wireName)
  const detail = takenDetail(model, fields, isRange(model, names))
  const source = payload && { pointer: pointerToFirst(payload, known) }
  const meta = fields.length > 1 ? { fields } : undefined
  return new ApiError([problem('value-taken', detail, source, meta)])
}

function pointerToFirst(
  { document, memberSteps, steps: itemSteps }: ItemPayload,
  members: readonly { readonly steps: Steps | undefined }[],
): string {
  // What the service filled in has no place of its own in the document.
  const places = members.flatMap(({ steps }) =>
    steps && steps !== memberSteps.values && steps !== memberSteps.relations ? [steps] : [],
  )
  const pointerTo = (steps: Steps) => findDeepestExisting(document, steps)
  // A default has steps too, which lead to nothing in the document.
  const sent = places.find((steps) => pointerTo(steps) === formatPointer(steps))
  return pointerTo(sent ?? places[0] ?? itemSteps)
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
  wireNames: readonly string[],
  isOfRange: boolean,
): string {
  const names = wireNames.map((wireName) => `'${wireName}'`)
  if (isOfRange && names.length > 0)
    return `${joinWords(names)} must not overlap those of another ${toWords(name)}.`
  const other = `another ${toWords(name)} already has`
  if (names.length === 0) return `The values are not unique; ${other} them.`
  return names.length === 1
    ? `${names[0]} must be unique; ${other} this value.`
    : `${joinWords(names)} must be unique together; ${other} these values.`
}
