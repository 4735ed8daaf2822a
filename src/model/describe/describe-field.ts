import type { FieldDefinition } from '../declare/field.ts'
import type { FieldDescription, HashField, ModelDescription } from '../model-description.ts'
import { isMemberName, memberNameRules } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeToMany, describeToOne } from './describe-relations.ts'
import { describeResource } from './describe-resource.ts'
import { describeValue } from './describe-value.ts'

/**
 * @throws RegistrationError where it has no name that a field can have, or is declared by nothing
 * that makes one
 */
export function describeField(
  model: ModelDescription,
  name: string,
  definition: FieldDefinition,
  models: ReadonlyMap<string, ModelDescription>,
): FieldDescription {
  const place = `the field '${name}' of the model '${model.name}'`
  if (name === 'id')
    throw new RegistrationError(
      `The model '${model.name}' declares 'id', which every model has already: a string that identifies the item.`,
    )
  if (!isMemberName(name))
    throw new RegistrationError(`${place} cannot be called so: ${memberNameRules}.`)
  if (name === 'hash' && !isHash(definition)) {
    throw new RegistrationError(
      `${place} must be declared by hash(): it is the item's version, and the source of its ETag.`,
    )
  }
  if (typeof definition !== 'object' && typeof definition !== 'function') throw notAField(place)
  if (definition === null) throw notAField(place)
  if ('~standard' in definition) return describeValue(place, name, definition, {})
  if (definition.kind === 'value')
    return describeValue(place, name, definition.schema, definition.options)
  if (definition.kind === 'hash') return describeHash(place, name)
  if (definition.kind === 'resource') return describeResource(place, name, definition)
  if (definition.kind === 'toOne') return describeToOne(place, name, definition, models)
  if (definition.kind === 'toMany') return describeToMany(place, name, definition, models)
  throw notAField(place)
}

function isHash(definition: FieldDefinition): boolean {
  return (
    typeof definition === 'object' &&
    definition !== null &&
    'kind' in definition &&
    definition.kind === 'hash'
  )
}

function notAField(place: string): RegistrationError {
  return new RegistrationError(
    `${place} is neither a schema (Standard Schema 1, such as zod 4's) nor made by field(), a relation, a resource or hash(); it may be undefined by a circle of imports.`,
  )
}

function describeHash(place: string, name: string): HashField {
  if (name !== 'hash')
    throw new RegistrationError(`${place} is declared by hash(), so it must be called 'hash'.`)
  return {
    kind: 'hash',
    name,
    wireName: name,
    description: "The item's version; it changes with every change of the item",
  }
}
