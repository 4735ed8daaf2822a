import { unknownName } from '../../error/unknown-name.ts'
import type {
  FieldDescription,
  IndexDescription,
  IndexKey,
  ModelDescription,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isScalar } from '../value-type.ts'

/**
 * Describes the indexes over several fields of a model, after its fields.
 * @throws RegistrationError
 */
export function describeIndexes(model: ModelDescription): readonly IndexDescription[] {
  const declared: unknown = model.model.options.indexes ?? []
  if (!isListOf(declared, isListOfNames)) {
    throw new RegistrationError(
      `The indexes of the model '${model.name}' must be arrays of field names, such as [['inStock', '-price']].`,
    )
  }
  const seen = new Set<string>()
  const indexes = declared.map((names) => {
    const subject = `The index over ${quoteNames(names)} of the model '${model.name}'`
    if (seen.has(names.join()))
      throw new RegistrationError(`${subject} is declared twice. Remove one declaration.`)
    seen.add(names.join())
    return describeIndex(subject, model, names)
  })
  return Object.freeze(indexes)
}

function describeIndex(
  subject: string,
  model: ModelDescription,
  names: readonly string[],
): IndexDescription {
  if (names.length < 2) {
    throw new RegistrationError(
      `${subject} must have at least two fields; for an index over one field use field(…, { index: true }).`,
    )
  }
  const keys = names.map((name) => indexKey(subject, model, name))
  const repeated = keys.find(
    ({ field }, index) => keys.findIndex((key) => key.field === field) < index,
  )
  if (repeated)
    throw new RegistrationError(
      `${subject} names '${repeated.field.name}' twice. Name each field once.`,
    )
  return Object.freeze({ keys: Object.freeze(keys) })
}

function indexKey(subject: string, model: ModelDescription, key: string): IndexKey {
  const name = key.replace(/^-/, '')
  if (name === 'id')
    throw new RegistrationError(`${subject} names 'id', which every index ends with. Remove it.`)
  const field = indexableField(subject, model, name)
  return Object.freeze({ field, direction: key.startsWith('-') ? 'desc' : 'asc' })
}

/** @throws RegistrationError unless the model has such a field, whose values have an order */
export function indexableField(
  subject: string,
  model: ModelDescription,
  name: string,
): IndexKey['field'] {
  const field = model.fieldsByName.get(name)
  if (!field) {
    const outerField = model.fieldsByName.get(name.split('.')[0]!)
    throw new RegistrationError(
      outerField
        ? `${subject} names '${name}'; expected a field of the model itself, not a member or a relation's field behind '${outerField.name}'.`
        : unknownName(`${subject} names the unknown field '${name}'`, name, [
            ...model.fields.filter(isIndexable).map((indexable) => indexable.name),
          ]),
    )
  }
  if (!isIndexable(field)) {
    throw new RegistrationError(
      `${subject} names '${name}', which cannot be indexed; only strings, numbers, booleans and to-one relations can.`,
    )
  }
  return field
}

function isIndexable(field: FieldDescription): field is IndexKey['field'] {
  return field.kind === 'toOne' || (field.kind === 'value' && isScalar(field.type))
}

export function isListOfNames(value: unknown): value is readonly string[] {
  return isListOf(value, (name): name is string => typeof name === 'string')
}

export function isListOf<T>(
  value: unknown,
  isMember: (member: unknown) => member is T,
): value is readonly T[] {
  return Array.isArray(value) && value.every(isMember)
}

export function quoteNames(names: readonly string[]): string {
  return names.length === 0 ? 'no fields' : names.map((name) => `'${name}'`).join(', ')
}
