import type { MapperOptions } from '../mapper/mapper.ts'
import { checkNames } from '../model/check-options.ts'
import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { toWordsWithArticle } from '../model/naming.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { validate } from '../schema/standard-schema.ts'

/**
 * The members that mappers hide, and those of them that clients may still write or filter by: every
 * mapper that hides a member must allow it.
 * @throws RegistrationError if an option is invalid, or if clients could create no item
 */
export function resolveHiddenMembers(
  model: ModelDescription,
  mapperOptions: readonly MapperOptions[],
): Pick<ModelView, 'hiddenNames' | 'writableHiddenNames' | 'filterableHiddenNames'> {
  const hidden = new Set<FieldDescription>()
  const notWritable = new Set<FieldDescription>()
  const notFilterable = new Set<FieldDescription>()
  for (const { hides: names = [], writable = [], filterable = [] } of mapperOptions) {
    const owner = `a mapper of '${model.name}'`
    checkNames(owner, 'hides', names, [...model.fieldsByName.keys()], 'the fields of the model')
    checkNames(owner, 'writable', writable, names, 'the names that it hides')
    checkNames(owner, 'filterable', filterable, names, 'the names that it hides')
    for (const name of names) {
      const field = model.fieldsByName.get(name)!
      hidden.add(field)
      if (!writable.includes(name)) notWritable.add(field)
      else refuseOptionValue(owner, 'writable', name, whyNotWritable(field))
      if (!filterable.includes(name)) notFilterable.add(field)
      else refuseOptionValue(owner, 'filterable', name, whyNotFilterable(field))
    }
  }
  // What is made of a hidden member would tell it.
  for (const field of model.derivedFields) {
    const sources = field.computed.from.map((name) => model.fieldsByName.get(name)!)
    if (!sources.some((source) => hidden.has(source)) || hidden.has(field)) continue
    hidden.add(field)
    notWritable.add(field)
    if (sources.some((source) => notFilterable.has(source))) notFilterable.add(field)
  }
  for (const field of notWritable) refuseHiddenRequired(model, field)
  const wireNames = (fields: Iterable<FieldDescription>) =>
    new Set([...fields].map(({ wireName }) => wireName))
  return {
    hiddenNames: wireNames(hidden),
    writableHiddenNames: wireNames([...hidden].filter((field) => !notWritable.has(field))),
    filterableHiddenNames: wireNames([...hidden].filter((field) => !notFilterable.has(field))),
  }
}

function refuseOptionValue(
  owner: string,
  option: string,
  name: string,
  reason: string | undefined,
): void {
  if (reason === undefined) return
  throw new RegistrationError(`The option '${option}' of ${owner} names '${name}', but ${reason}.`)
}

/** Why clients cannot write the field, even if the mapper allows it. */
function whyNotWritable(field: FieldDescription): string | undefined {
  if (field.kind === 'hash') return 'the service computes it'
  if (field.kind === 'resource')
    return 'it is a binary resource, whose URL does not exist while it is hidden'
  if (field.kind === 'inverse') return 'clients write it from the other side of the relation'
  if (field.kind === 'value' && (field.visibility === 'hidden' || field.visibility === 'readOnly'))
    return `the field is ${field.visibility}`
  if (field.kind === 'toOne' && field.isReadOnly) return 'the field is readOnly'
  return undefined
}

/** Why clients cannot filter or sort by the field, even if the mapper allows it. */
function whyNotFilterable(field: FieldDescription): string | undefined {
  if (field.kind === 'hash' || field.kind === 'resource')
    return 'it supports neither filters nor sorting'
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
    `A mapper of '${model.name}' hides the required field '${field.name}', so clients cannot create ${toWordsWithArticle(model.name)}. Add it to 'writable', make it optional, or give it a default.`,
  )
}

/** Must clients send the field? The result of an asynchronous schema is unknown here. */
export function isRequiredFromClient(field: FieldDescription): boolean {
  if (field.kind === 'toOne') return !field.isOptional && !field.isReadOnly && !field.from
  if (
    field.kind !== 'value' ||
    field.from ||
    field.visibility === 'hidden' ||
    field.visibility === 'readOnly'
  )
    return false
  const absent = validate(field.schema, undefined)
  if (!(absent instanceof Promise)) return absent.kind === 'invalid'
  absent.catch(() => undefined)
  return false
}
