import { unknownName } from '../../error/unknown-name.ts'
import type { FieldDefinition } from '../declare/field.ts'
import type { ToManyDefinition } from '../declare/relation.ts'
import type { RollupDefinition } from '../declare/rollup.ts'
import type { RollupDeclaration } from '../declare/rollup-declaration.ts'
import type {
  Draft,
  InverseField,
  ModelDescription,
  RollupField,
  RollupValue,
  ValueField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isDecimal, isScalar, type ScalarType } from '../value-type.ts'
import { describeValue } from './describe-value.ts'
import { rollupSchema } from './rollup-schema.ts'

/**
 * A rollup before its relation is linked (`linkRollups`). Its type is that of a field of another
 * model, which may not be described yet, so it is read from its declaration.
 * @throws RegistrationError for a relation or a field that nothing can be kept of
 */
export function describeRollup(
  subject: string,
  { model: { fields } }: ModelDescription,
  name: string,
  { options, computed }: RollupDefinition,
  models: ReadonlyMap<string, ModelDescription>,
): RollupField {
  const relation = relationOf(subject, fields, computed)
  const related = models.get(relation.relatedModelName)
  const type =
    related && computed.member !== undefined
      ? typeOfMember(subject, related, computed, computed.member)
      : undefined
  const schema = rollupSchema(computed.function, type)
  const { kind, function: term, countsHidden, version } = computed
  return {
    ...describeValue(subject, name, schema, options),
    computed: {
      kind,
      function: term,
      countsHidden,
      version,
      relation: undefined as never,
      source: undefined,
    },
  }
}

export function isRollup(field: ValueField): field is RollupField {
  return field.computed?.kind === 'rollup'
}

/**
 * Sets the relations and sources of rollups, after every model has its fields.
 * @throws RegistrationError for a rollup whose changes could be refused
 */
export function linkRollups(draft: ModelDescription): void {
  for (const field of draft.rollupFields) {
    const { over, member } = (draft.model.fields[field.name] as RollupDefinition).computed
    const computed = field.computed as Draft<RollupValue>
    computed.relation = draft.fieldsByName.get(over) as InverseField
    computed.source =
      member === undefined
        ? undefined
        : (computed.relation.relatedModel.fieldsByName.get(member) as ValueField)
    refuseUnique(draft, field)
    const { relatedModel } = computed.relation
    if (computed.source && isMadeOfRollup(relatedModel, computed.source))
      throw new RegistrationError(
        `the field '${field.name}' of the model '${draft.name}' is a rollup of '${member}' of the model '${relatedModel.name}', which is derived from a rollup; expected a field that is not kept by other items.`,
      )
  }
}

function isMadeOfRollup(model: ModelDescription, field: ValueField): boolean {
  if (field.computed?.kind === 'rollup') return true
  return (
    field.computed?.kind === 'derived' &&
    field.computed.from.some((name) => {
      const source = model.fieldsByName.get(name)
      return source?.kind === 'value' && isMadeOfRollup(model, source)
    })
  )
}

/** Another item may have the value by then, and its own client has done nothing wrong. */
function refuseUnique(draft: ModelDescription, field: RollupField): void {
  const sets = [...draft.uniqueSets, ...draft.uniqueRanges]
  const isKey = sets.some(
    (set) => set.fields.includes(field) || set.where.some((each) => each.field === field),
  )
  const isBound = draft.uniqueRanges.some(({ from, to }) => from === field || to === field)
  if (isKey || isBound)
    throw new RegistrationError(
      `the field '${field.name}' of the model '${draft.name}' is a rollup, so it cannot be part of what is unique: a write of another item would be refused because of it.`,
    )
}

function relationOf(
  subject: string,
  fields: Readonly<Record<string, FieldDefinition>>,
  { over }: RollupDeclaration,
): ToManyDefinition {
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
  return definition
}

function isInverse(definition: FieldDefinition): definition is ToManyDefinition {
  return (
    typeof definition === 'object' &&
    definition !== null &&
    'kind' in definition &&
    definition.kind === 'toMany' &&
    definition.options.inverse !== undefined
  )
}

/** @throws RegistrationError unless the function takes the values of the field */
function typeOfMember(
  subject: string,
  related: ModelDescription,
  { function: term }: RollupDeclaration,
  member: string,
): ScalarType {
  const { fields } = related.model
  const definition = Object.hasOwn(fields, member) ? fields[member] : undefined
  const statement = `${subject} is a rollup of '${member}' of the model '${related.name}'`
  if (definition === undefined)
    throw new RegistrationError(
      unknownName(`${statement}, which has no such field`, member, Object.keys(fields)),
    )
  const source = describeSource(statement, member, definition)
  if (source.visibility === 'hidden' || source.visibility === 'writeOnly')
    throw new RegistrationError(
      `${statement}, which clients cannot read, so they must not read what is made of it either.`,
    )
  const { type } = source
  if (isScalar(type) && takes(term, type)) return type
  throw new RegistrationError(
    term === 'sum' || term === 'avg'
      ? `${statement}, which cannot be added up; expected a number, or a decimal number.`
      : `${statement}, which has no smallest value; expected a number, a text or a date.`,
  )
}

function describeSource(
  statement: string,
  member: string,
  definition: FieldDefinition,
): ValueField {
  if ('~standard' in definition) return describeValue(statement, member, definition, {})
  if (definition.kind !== 'value')
    throw new RegistrationError(`${statement}, which is not a value; expected a value field.`)
  if (definition.computed?.kind === 'rollup')
    throw new RegistrationError(
      `${statement}, which is a rollup itself; expected a field that is not kept by other items.`,
    )
  return describeValue(statement, member, definition.schema, definition.options)
}

function takes(term: RollupDeclaration['function'], type: ScalarType): boolean {
  if (term === 'min' || term === 'max') return type.kind !== 'boolean'
  return type.kind === 'number' || type.kind === 'integer' || isDecimal(type)
}
