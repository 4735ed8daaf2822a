import type { MapperOptions } from '../mapper/mapper.ts'
import { checkNames } from '../model/check-options.ts'
import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { validate } from '../schema/standard-schema.ts'

/**
 * What mappers hide of a model, and what clients may do with it all the same: what each mapper that
 * hides it allows.
 * @throws RegistrationError where they allow what cannot be, or leave clients no way to create an
 * item
 */
export function resolveHiddenMembers(
  model: ModelDescription,
  declared: readonly MapperOptions[],
): Pick<ModelView, 'hiddenNames' | 'writableHiddenNames' | 'filterableHiddenNames'> {
  const hides = new Set<FieldDescription>()
  const closed = new Set<FieldDescription>()
  const unasked = new Set<FieldDescription>()
  for (const { hides: names = [], writable = [], filterable = [] } of declared) {
    const owner = `a mapper of '${model.name}'`
    checkNames(owner, 'hides', names, [...model.fieldsByName.keys()], 'the fields of the model')
    checkNames(owner, 'writable', writable, names, 'the names that it hides')
    checkNames(owner, 'filterable', filterable, names, 'the names that it hides')
    for (const name of names) {
      const field = model.fieldsByName.get(name)!
      hides.add(field)
      if (!writable.includes(name)) closed.add(field)
      else refuseOptionValue(owner, 'writable', name, whyNotWritable(field))
      if (!filterable.includes(name)) unasked.add(field)
      else refuseOptionValue(owner, 'filterable', name, whyNotFilterable(field))
    }
  }
  for (const field of closed) refuseHiddenRequired(model, field)
  const wires = (fields: Iterable<FieldDescription>) =>
    new Set([...fields].map(({ wireName }) => wireName))
  return {
    hiddenNames: wires(hides),
    writableHiddenNames: wires([...hides].filter((field) => !closed.has(field))),
    filterableHiddenNames: wires([...hides].filter((field) => !unasked.has(field))),
  }
}

function refuseOptionValue(
  owner: string,
  option: string,
  name: string,
  why: string | undefined,
): void {
  if (why === undefined) return
  throw new RegistrationError(
    `The option '${option}' of ${owner} names '${name}'; expected is another: ${why}.`,
  )
}

/** Why no client could write it, though it may. */
function whyNotWritable(field: FieldDescription): string | undefined {
  if (field.kind === 'hash') return 'the service makes it'
  if (field.kind === 'resource')
    return 'its bytes have an address of their own, which is not there while it is hidden'
  if (field.kind === 'inverse') return 'it is written from its other side'
  if (field.kind === 'value' && (field.visibility === 'hidden' || field.visibility === 'readOnly'))
    return `the field is ${field.visibility}`
  return undefined
}

/** Why no client could filter or sort by it, though it may. */
function whyNotFilterable(field: FieldDescription): string | undefined {
  if (field.kind === 'hash' || field.kind === 'resource')
    return 'nothing can be filtered or sorted by it'
  if (field.kind !== 'value') return undefined
  if (field.visibility === 'hidden' || field.visibility === 'writeOnly')
    return `the field is ${field.visibility}`
  return field.isFilterable || field.isSortable
    ? undefined
    : 'the field is declared with filter: false and sort: false'
}

function refuseHiddenRequired(model: ModelDescription, field: FieldDescription): void {
  if (!isRequiredFromClient(field)) return
  throw new RegistrationError(
    `A mapper of '${model.name}' hides '${field.name}', which every new ${model.name} needs and no client could then send: name it in 'writable' too, make it optional, or give it a default.`,
  )
}

/**
 * Is there no item without a value that a client sends? Asynchronous schemas say so only when they
 * are asked.
 */
function isRequiredFromClient(field: FieldDescription): boolean {
  if (field.kind === 'toOne') return !field.isOptional
  if (field.kind !== 'value' || field.visibility === 'hidden' || field.visibility === 'readOnly')
    return false
  const absent = validate(field.schema, undefined)
  if (!(absent instanceof Promise)) return absent.kind === 'invalid'
  absent.catch(() => undefined)
  return false
}
