import type {
  ModelDescription,
  UniqueCondition,
  UniqueSet,
  ValueField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { allowedValuesOf, comparedAs, type ValueType } from '../value-type.ts'
import { indexableField, isListOf, isListOfNames, quoteNames } from './describe-indexes.ts'

/** A set as it is declared, with the condition apart. */
interface DeclaredSet {
  readonly names: readonly string[]
  readonly where: Readonly<Record<string, unknown>>
}

/**
 * Describes the fields of a model that are unique together, after its fields.
 * @throws RegistrationError
 */
export function describeUniqueSets(model: ModelDescription): readonly UniqueSet[] {
  const declared: unknown = model.model.options.unique ?? []
  if (!isListOf(declared, isDeclaration))
    throw new RegistrationError(
      `The option 'unique' of the model '${model.name}' must be an array of sets, such as [['talk', 'attendee']] or [{ fields: ['seat'], where: { isOpen: true } }].`,
    )
  const seen = new Set<string>()
  const sets = declared.map((declaration) => {
    const set = isListOfNames(declaration)
      ? { names: declaration, where: {} }
      : { names: declaration.fields, where: declaration.where }
    const subject = `The unique set ${quoteNames(set.names)} of the model '${model.name}'`
    const identity = JSON.stringify([set.names.toSorted(), Object.entries(set.where).toSorted()])
    if (seen.has(identity))
      throw new RegistrationError(`${subject} is declared twice. Declare it once.`)
    seen.add(identity)
    return describeUniqueSet(subject, model, set)
  })
  return Object.freeze(sets)
}

function describeUniqueSet(
  subject: string,
  model: ModelDescription,
  { names, where }: DeclaredSet,
): UniqueSet {
  const conditions = Object.entries(where).map(([name, value]) =>
    describeCondition(subject, model, name, value),
  )
  if (names.length === 0) throw new RegistrationError(`${subject} must name a field.`)
  const repeated = names.find((name, index) => names.indexOf(name) < index)
  if (repeated !== undefined)
    throw new RegistrationError(`${subject} names '${repeated}' twice. Name each field once.`)
  const fields = names.map((name) => {
    if (name === 'id')
      throw new RegistrationError(`${subject} names 'id', which is unique by itself. Remove it.`)
    return indexableField(subject, model, name)
  })
  if (fields.length === 1 && fields[0]!.kind === 'value' && conditions.length === 0)
    throw new RegistrationError(
      `${subject} has one field and no condition. Use field(…, { unique: true }).`,
    )
  return Object.freeze({ fields: Object.freeze(fields), where: Object.freeze(conditions) })
}

function describeCondition(
  subject: string,
  model: ModelDescription,
  name: string,
  value: unknown,
): UniqueCondition {
  const field = indexableField(`The condition of ${uncapitalized(subject)}`, model, name)
  // A deleted item clears relations to it, and must not make a conflict by that.
  if (field.kind !== 'value')
    throw new RegistrationError(
      `The condition of ${uncapitalized(subject)} names the relation '${name}'; expected a field with a value.`,
    )
  if (!isValueOf(field, value))
    throw new RegistrationError(
      `The condition of ${uncapitalized(subject)} compares '${name}' with ${JSON.stringify(value) ?? String(value)}; expected ${expectedValues(field.type)}.`,
    )
  return Object.freeze({ field, value })
}

function isValueOf({ type }: ValueField, value: unknown): value is UniqueCondition['value'] {
  if (value === null) return true
  if (comparedAs(type)) return false
  const allowed = allowedValuesOf(type)
  if (allowed) return (allowed as readonly unknown[]).includes(value)
  switch (type.kind) {
    case 'text':
      return typeof value === 'string' && !/\0|\p{Surrogate}/u.test(value)
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type.kind
  }
}

function expectedValues(type: ValueType): string {
  if (comparedAs(type)) return 'null'
  const allowed = allowedValuesOf(type)
  if (allowed) return `${allowed.map((value) => JSON.stringify(value)).join(', ')} or null`
  return `a value of the type ${type.kind}, or null`
}

function isDeclaration(
  value: unknown,
): value is
  | readonly string[]
  | { readonly fields: readonly string[]; readonly where: Readonly<Record<string, unknown>> } {
  if (isListOfNames(value)) return true
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const { fields, where, ...others } = value as Record<string, unknown>
  return (
    isListOfNames(fields) &&
    typeof where === 'object' &&
    where !== null &&
    !Array.isArray(where) &&
    Object.keys(others).length === 0
  )
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
