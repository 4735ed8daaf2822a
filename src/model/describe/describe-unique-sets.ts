import type {
  ModelDescription,
  UniqueCondition,
  UniqueRange,
  UniqueSet,
  ValueField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { allowedValuesOf, comparedAs, type ValueType } from '../value-type.ts'
import { indexableField, isListOf, isListOfNames, quoteNames } from './describe-indexes.ts'
import { boundKind } from './unique-ranges.ts'

/** A set as it is declared, with the condition apart. */
interface DeclaredSet {
  readonly names: readonly string[]
  readonly where: Readonly<Record<string, unknown>>
  readonly range: readonly string[] | undefined
}

/**
 * Describes the fields of a model that are unique together, after its fields.
 * @throws RegistrationError
 */
export function describeUniqueSets(model: ModelDescription): readonly UniqueSet[] {
  const sets = declaredSets(model).filter(({ range }) => range === undefined)
  return Object.freeze(
    sets.map((set) => {
      const described = describeUniqueSet(subjectOf(model, set), model, set)
      const [first, ...others] = described.fields
      if (others.length === 0 && first!.kind === 'value' && described.where.length === 0)
        throw new RegistrationError(
          `${subjectOf(model, set)} has one field and no condition. Use field(…, { unique: true }).`,
        )
      return described
    }),
  )
}

/**
 * Describes the fields of a model whose ranges must not overlap, after its fields.
 * @throws RegistrationError
 */
export function describeUniqueRanges(model: ModelDescription): readonly UniqueRange[] {
  return Object.freeze(
    declaredSets(model).flatMap((set): UniqueRange[] => {
      if (set.range === undefined) return []
      const subject = subjectOf(model, set)
      const described = describeUniqueSet(subject, model, set)
      return [
        Object.freeze({ ...described, ...describeRange(subject, model, described, set.range) }),
      ]
    }),
  )
}

function declaredSets(model: ModelDescription): readonly DeclaredSet[] {
  const declared: unknown = model.model.options.unique ?? []
  if (!isListOf(declared, isDeclaration))
    throw new RegistrationError(
      `The option 'unique' of the model '${model.name}' must be an array of sets, such as [['talk', 'attendee']], [{ fields: ['seat'], where: { isOpen: true } }] or [{ fields: ['room'], range: ['from', 'to'] }].`,
    )
  const seen = new Set<string>()
  return declared.map((declaration) => {
    const set: DeclaredSet = isListOfNames(declaration)
      ? { names: declaration, where: {}, range: undefined }
      : { names: declaration.fields, where: declaration.where ?? {}, range: declaration.range }
    const identity = JSON.stringify([
      set.names.toSorted(),
      Object.entries(set.where).toSorted(),
      set.range ?? null,
    ])
    if (seen.has(identity))
      throw new RegistrationError(`${subjectOf(model, set)} is declared twice. Declare it once.`)
    seen.add(identity)
    return set
  })
}

function subjectOf(model: ModelDescription, { names }: DeclaredSet): string {
  return `The unique set ${quoteNames(names)} of the model '${model.name}'`
}

/** The bounds of ranges, which have one type. */
function describeRange(
  subject: string,
  model: ModelDescription,
  { fields }: UniqueSet,
  names: readonly string[],
): Pick<UniqueRange, 'from' | 'to'> {
  const bounds = names.map((name) =>
    indexableField(`The range of ${uncapitalized(subject)}`, model, name),
  )
  const misfit = bounds.find((field) => field.kind !== 'value' || boundKind(field) === undefined)
  if (misfit)
    throw new RegistrationError(
      `The range of ${uncapitalized(subject)} names '${misfit.name}'; expected two fields with numbers, dates or date-times.`,
    )
  const [from, to] = bounds as readonly ValueField[] as readonly [ValueField, ValueField]
  if (from === to || fields.includes(from) || fields.includes(to))
    throw new RegistrationError(
      `The range of ${uncapitalized(subject)} names a field twice. Name each field once.`,
    )
  if (boundKind(from) !== boundKind(to))
    throw new RegistrationError(
      `The range of ${uncapitalized(subject)} has bounds of two types, ${boundKind(from)} and ${boundKind(to)}; expected one.`,
    )
  const inexact = fields.find((field) => field.kind === 'value' && comparedAs(field.type))
  if (inexact)
    throw new RegistrationError(
      `${subject} has a range, so '${inexact.name}' must be a relation, a string, a number or a boolean.`,
    )
  return { from, to }
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

export function isValueOf({ type }: ValueField, value: unknown): value is UniqueCondition['value'] {
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

export function expectedValues(type: ValueType): string {
  if (comparedAs(type)) return 'null'
  const allowed = allowedValuesOf(type)
  if (allowed) return `${allowed.map((value) => JSON.stringify(value)).join(', ')} or null`
  return `a value of the type ${type.kind}, or null`
}

function isDeclaration(value: unknown): value is
  | readonly string[]
  | {
      readonly fields: readonly string[]
      readonly where?: Readonly<Record<string, unknown>>
      readonly range?: readonly string[]
    } {
  if (isListOfNames(value)) return true
  if (!isRecord(value)) return false
  const { fields, where, range, ...others } = value
  return (
    isListOfNames(fields) &&
    (where === undefined ? range !== undefined : isRecord(where)) &&
    (range === undefined || (isListOfNames(range) && range.length === 2)) &&
    Object.keys(others).length === 0
  )
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function uncapitalized(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}
