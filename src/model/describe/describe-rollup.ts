import { unknownName } from '../../error/unknown-name.ts'
import type { FieldDefinition } from '../declare/field.ts'
import type { RollupDefinition } from '../declare/rollup.ts'
import type { RollupDeclaration } from '../declare/rollup-declaration.ts'
import { isMadeOfRollup, isRollup } from '../made-of-rollup.ts'
import type {
  FieldDescription,
  InverseField,
  ModelDescription,
  RollupField,
  ValueField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isDecimal, isScalar, type ScalarType } from '../value-type.ts'
import { describeValue } from './describe-value.ts'
import { rollupSchema } from './rollup-schema.ts'

/** A field that a model declares; undefined if its declaration is wrong: others say so. */
export type FieldOf = (model: ModelDescription, name: string) => FieldDescription | undefined

/** @throws RegistrationError for a relation or a field that nothing can be kept of */
export function describeRollup(
  subject: string,
  model: ModelDescription,
  name: string,
  { options, computed }: RollupDefinition,
  fieldOf: FieldOf,
): RollupField {
  const { kind, function: term, member, countsHidden, version } = computed
  const relation = relationOf(subject, model, computed, fieldOf)
  const source =
    relation && member !== undefined
      ? sourceOf(subject, relation.relatedModel, computed, member, fieldOf)
      : undefined
  const schema = rollupSchema(term, source?.type as ScalarType | undefined)
  return {
    ...describeValue(subject, name, schema, options),
    // No model is described whose relation is wrong.
    computed: { kind, function: term, countsHidden, version, relation: relation!, source },
  }
}

/**
 * Checks the rollups of a model, and what is derived from them, once all models are described.
 * @throws RegistrationError for one whose changes could be refused, or would lock items in a circle
 */
export function checkRollups(model: ModelDescription): void {
  for (const field of model.valueFields)
    if (isMadeOfRollup(model, field)) refuseUnique(model, field)
  for (const { name, computed } of model.rollupFields) {
    const { relatedModel } = computed.relation
    if (relatedModel === model && computed.source && isMadeOfRollup(model, computed.source))
      throw new RegistrationError(
        `the field '${name}' of the model '${model.name}' is a rollup of '${computed.source.name}', which is made of a rollup. A rollup over items of its own model cannot be made of rollups.`,
      )
    if (modelsBehind(model, { computed }).has(model))
      throw new RegistrationError(
        `the field '${name}' of the model '${model.name}' is a rollup of '${computed.source!.name}' of the model '${relatedModel.name}', which is made of rollups of '${model.name}' itself. Remove one of them.`,
      )
  }
}

/** The models whose rollups have to be written before this one. */
function modelsBehind(
  model: ModelDescription,
  { computed: { relation, source } }: Pick<RollupField, 'computed'>,
  models: Set<ModelDescription> = new Set(),
): ReadonlySet<ModelDescription> {
  const { relatedModel } = relation
  if (!source || !isMadeOfRollup(relatedModel, source) || models.has(relatedModel)) return models
  models.add(relatedModel)
  if (relatedModel !== model)
    for (const field of relatedModel.rollupFields) modelsBehind(model, field, models)
  return models
}

/** Another item may have the value by then, and its own client has done nothing wrong. */
function refuseUnique(model: ModelDescription, field: ValueField): void {
  const sets = [...model.uniqueSets, ...model.uniqueRanges]
  const isKey = sets.some(
    (set) => set.fields.includes(field) || set.where.some((each) => each.field === field),
  )
  const isBound = model.uniqueRanges.some(({ from, to }) => from === field || to === field)
  const kind = isRollup(field) ? 'a rollup' : 'derived from a rollup'
  if (field.isUnique || isKey || isBound)
    throw new RegistrationError(
      `the field '${field.name}' of the model '${model.name}' is ${kind}, so it cannot be part of what is unique: a write of another item would be refused because of it.`,
    )
}

function relationOf(
  subject: string,
  model: ModelDescription,
  { over }: RollupDeclaration,
  fieldOf: FieldOf,
): InverseField | undefined {
  const { fields } = model.model
  const definition = Object.hasOwn(fields, over) ? fields[over] : undefined
  if (definition === undefined)
    throw new RegistrationError(
      unknownName(
        `${subject} is a rollup over '${over}', which the model does not have`,
        over,
        Object.keys(fields).filter((name) => isInverse(fields[name]!)),
      ),
    )
  if (!isInverse(definition))
    throw new RegistrationError(
      `${subject} is a rollup over '${over}', which is not an inverse relation; expected one such as toMany('review', { inverse: 'book' }).`,
    )
  return fieldOf(model, over) as InverseField | undefined
}

function isInverse(definition: FieldDefinition): boolean {
  return (
    typeof definition === 'object' &&
    definition !== null &&
    'kind' in definition &&
    definition.kind === 'toMany' &&
    definition.options.inverse !== undefined
  )
}

/** @throws RegistrationError unless the function takes the values of the field */
function sourceOf(
  subject: string,
  related: ModelDescription,
  { function: term }: RollupDeclaration,
  member: string,
  fieldOf: FieldOf,
): ValueField | undefined {
  const { fields } = related.model
  const statement = `${subject} is a rollup of '${member}' of the model '${related.name}'`
  if (!Object.hasOwn(fields, member))
    throw new RegistrationError(
      unknownName(
        `${statement}, which has no such field`,
        member,
        Object.keys(fields).filter((name) => isUsable(related, name, term, fieldOf)),
      ),
    )
  const source = fieldOf(related, member)
  if (!source) return undefined
  if (source.kind !== 'value')
    throw new RegistrationError(`${statement}, which is not a value; expected a value field.`)
  const { type } = source
  if (!isReadable(source))
    throw new RegistrationError(
      `${statement}, which clients cannot read, so they must not read what is made of it either.`,
    )
  if (isScalar(type) && takes(term, type)) return source
  throw new RegistrationError(
    term === 'sum' || term === 'avg'
      ? `${statement}, which cannot be added up; expected a number, or a decimal number.`
      : `${statement}, which has no smallest value; expected a number, a text or a date.`,
  )
}

/** Can the rollup be made of this field? A rollup is not described yet, but most are numbers. */
function isUsable(
  related: ModelDescription,
  name: string,
  term: RollupDeclaration['function'],
  fieldOf: FieldOf,
): boolean {
  if (isRollupDefinition(related.model.fields[name]!)) return true
  const field = fieldOf(related, name)
  return (
    field?.kind === 'value' && isReadable(field) && isScalar(field.type) && takes(term, field.type)
  )
}

function isRollupDefinition(definition: FieldDefinition): boolean {
  return (
    typeof definition === 'object' &&
    definition !== null &&
    'kind' in definition &&
    definition.kind === 'value' &&
    definition.computed?.kind === 'rollup'
  )
}

function isReadable({ visibility }: ValueField): boolean {
  return visibility !== 'hidden' && visibility !== 'writeOnly'
}

function takes(term: RollupDeclaration['function'], type: ScalarType): boolean {
  if (term === 'min' || term === 'max') return type.kind !== 'boolean'
  return type.kind === 'number' || type.kind === 'integer' || isDecimal(type)
}
