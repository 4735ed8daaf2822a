import { capitalize, joinWords } from '../../text/message-text.ts'
import type { DerivedDeclaration } from '../declare/derived-declaration.ts'
import type { FieldDefinition, FieldOptions, HashDefinition } from '../declare/field.ts'
import type { RollupDefinition } from '../declare/rollup.ts'
import type {
  FieldDescription,
  HashField,
  ModelDescription,
  ValueField,
} from '../model-description.ts'
import { isMemberName, memberNameRules } from '../naming.ts'
import { RegistrationError } from '../registration-error.ts'
import { describeToMany, describeToOne } from './describe-relations.ts'
import { describeResource } from './describe-resource.ts'
import { describeRollup, type FieldOf } from './describe-rollup.ts'
import { describeVersionStorage } from './describe-storage.ts'
import { describeValue } from './describe-value.ts'

/** What the description of a field needs of others. */
interface DescribedModels {
  readonly models: ReadonlyMap<string, ModelDescription>
  readonly fieldOf: FieldOf
}

/** @throws RegistrationError if the name or the declaration is invalid */
export function describeField(
  model: ModelDescription,
  name: string,
  definition: FieldDefinition,
  { models, fieldOf }: DescribedModels,
): FieldDescription {
  const subject = `the field '${name}' of the model '${model.name}'`
  if (name === 'id')
    throw new RegistrationError(
      `The model '${model.name}' declares the field 'id'. Every model has an 'id' (a string). Remove it from the fields.`,
    )
  if (!isMemberName(name))
    throw new RegistrationError(`${subject} has an invalid name: ${memberNameRules}.`)
  if (name === 'hash' && !isHash(definition)) {
    throw new RegistrationError(
      `${subject} must be declared with hash(): the name is reserved for the version of the item, which makes its ETag.`,
    )
  }
  if (typeof definition !== 'object' && typeof definition !== 'function') throw notAField(subject)
  if (definition === null) throw notAField(subject)
  if ('~standard' in definition) return describeValue(subject, name, definition, {})
  if (definition.kind === 'value') {
    const { computed, timestamp, schema, options } = definition
    if (computed?.kind === 'rollup')
      return describeRollup(subject, model, name, definition as RollupDefinition, fieldOf)
    const field = describeValue(subject, name, schema, options, { timestamp, computed })
    return computed ? withSources(model, field, computed) : field
  }
  if (definition.kind === 'hash') return describeHash(subject, name, definition)
  if (definition.kind === 'resource') return describeResource(subject, name, definition)
  if (definition.kind === 'toOne') return describeToOne(subject, name, definition, models)
  if (definition.kind === 'toMany') return describeToMany(subject, model, name, definition, models)
  throw notAField(subject)
}

/** A description that says what the value is made of. */
function withSources(
  { model }: ModelDescription,
  field: ValueField,
  { from }: DerivedDeclaration,
): ValueField {
  const names = from.map((name) => {
    const source: unknown = model.fields[name]
    return `'${(source as { options?: FieldOptions } | undefined)?.options?.wire ?? name}'`
  })
  const sources = `computed from ${joinWords(names)}`
  const description = field.description ? `${field.description}; ${sources}` : capitalize(sources)
  return Object.freeze({ ...field, description })
}

function isHash(definition: FieldDefinition): boolean {
  return (
    typeof definition === 'object' &&
    definition !== null &&
    'kind' in definition &&
    definition.kind === 'hash'
  )
}

function notAField(subject: string): RegistrationError {
  return new RegistrationError(
    `${subject} must be a schema (Standard Schema 1, for example zod 4) or the result of field(), derived(), rollup(), toOne(), toMany(), file(), image(), audio() or hash(). If it is undefined, check for circular imports.`,
  )
}

function describeHash(subject: string, name: string, { options }: HashDefinition): HashField {
  if (name !== 'hash')
    throw new RegistrationError(`${subject} is declared with hash(), so its name must be 'hash'.`)
  return {
    kind: 'hash',
    name,
    wireName: name,
    description: 'The version of the item; every change of the item changes it',
    storage: describeVersionStorage(subject, options),
  }
}
