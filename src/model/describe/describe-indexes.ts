import type {
  FieldDescription,
  IndexDescription,
  IndexKey,
  ModelDescription,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isScalar } from '../value-type.ts'

/**
 * Reads the indexes over several fields off a model whose fields are described.
 * @throws RegistrationError saying which one is wrong, and what would be right.
 */
export function describeIndexes(model: ModelDescription): readonly IndexDescription[] {
  const declared: unknown = model.model.options.indexes ?? []
  if (!isListOf(declared, isListOfNames)) {
    throw new RegistrationError(
      `The indexes of the model '${model.name}' must be lists of field names, such as [['inStock', '-price']].`,
    )
  }
  const known = new Set<string>()
  const indexes = declared.map((names) => {
    const place = `The index over ${quoteNames(names)} of the model '${model.name}'`
    if (known.has(names.join()))
      throw new RegistrationError(`${place} is declared twice; once is enough.`)
    known.add(names.join())
    return describeIndex(place, model, names)
  })
  return Object.freeze(indexes)
}

function describeIndex(
  place: string,
  model: ModelDescription,
  names: readonly string[],
): IndexDescription {
  if (names.length < 2) {
    throw new RegistrationError(
      `${place} must hold two fields or more; one over a single field is declared at the field, by { index: true }.`,
    )
  }
  const keys = names.map((name) => indexKey(place, model, name))
  const repeated = keys.find(
    ({ field }, index) => keys.findIndex((key) => key.field === field) < index,
  )
  if (repeated)
    throw new RegistrationError(
      `${place} names '${repeated.field.name}' twice; each field counts once.`,
    )
  return Object.freeze({ keys: Object.freeze(keys) })
}

function indexKey(place: string, model: ModelDescription, key: string): IndexKey {
  const name = key.replace(/^-/, '')
  if (name === 'id')
    throw new RegistrationError(`${place} names the id, which every index ends with; leave it out.`)
  const field = model.fieldsByName.get(name)
  if (!field) {
    const start = model.fieldsByName.get(name.split('.')[0]!)
    throw new RegistrationError(
      start
        ? `${place} names '${name}', but holds values of its own model's fields only, not what lies inside or behind '${start.name}'.`
        : `${place} names '${name}', which is no field of the model; it has ${[...model.fieldsByName.keys()].join(', ')}.`,
    )
  }
  if (!isOrdered(field)) {
    throw new RegistrationError(
      `${place} names '${name}', whose values have no order; text, numbers, booleans and relations to one have.`,
    )
  }
  return Object.freeze({ field, direction: key.startsWith('-') ? 'desc' : 'asc' })
}

function isOrdered(field: FieldDescription): field is IndexKey['field'] {
  return field.kind === 'toOne' || (field.kind === 'value' && isScalar(field.type))
}

function isListOfNames(value: unknown): value is readonly string[] {
  return isListOf(value, (name): name is string => typeof name === 'string')
}

function isListOf<T>(value: unknown, is: (one: unknown) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is)
}

function quoteNames(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.map((name) => `'${name}'`).join(', ')
}
