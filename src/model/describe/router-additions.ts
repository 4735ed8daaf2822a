import type { ValueFromRequest } from '../declare/request-context.ts'
import type {
  FieldDescription,
  ModelDescription,
  ToOneField,
  UniqueRange,
  UniqueSet,
  ValueField,
} from '../model-description.ts'
import { describeUniqueRanges, describeUniqueSets } from './describe-unique-sets.ts'

/** A value that the service sets at creation, as `from` of a field does. */
interface SetValue {
  readonly from: ValueFromRequest
  /** May some clients send another value? Others may send the same one only. */
  readonly isReplaceable: boolean
}

/** What a router adds to a model. */
export interface RouterAdditions {
  /** By the name of the field. */
  readonly set: ReadonlyMap<string, SetValue>
  /** The field within whose values others are unique; undefined if they are so in all items. */
  readonly uniqueWithin: string | undefined
}

export const noAdditions: RouterAdditions = Object.freeze({
  set: new Map(),
  uniqueWithin: undefined,
})

/** The field as this router has it. */
export function withAdditions(
  field: FieldDescription,
  { set, uniqueWithin }: RouterAdditions,
): FieldDescription {
  const added = set.get(field.name)
  if (field.kind === 'toOne')
    return added
      ? {
          ...field,
          isReadOnly: field.isReadOnly || !added.isReplaceable,
          from: idFrom(added.from),
        }
      : field
  if (field.kind !== 'value') return field
  const isUnique = field.isUnique && uniqueWithin === undefined
  if (!added && isUnique === field.isUnique) return field
  const isSettable = field.visibility === 'visible' || field.visibility === 'writeOnly'
  return Object.freeze({
    ...field,
    isUnique,
    ...(added && {
      from: added.from,
      visibility: isSettable && !added.isReplaceable ? 'readOnly' : field.visibility,
    }),
  })
}

/** What is unique is so within the values of the added field. */
export function uniqueSetsOf(
  model: ModelDescription,
  additions: RouterAdditions,
): readonly UniqueSet[] {
  const declared = describeUniqueSets(model)
  const scope = scopeField(model, additions)
  if (!scope) return declared
  const ofFields = Object.entries(model.model.fields).flatMap(([fieldName]): UniqueSet[] => {
    const field = model.fieldsByName.get(fieldName)!
    return isDeclaredUnique(model, field) && field !== scope
      ? [{ fields: [scope, field], where: [] }]
      : []
  })
  return Object.freeze([...ofFields, ...declared.map((set) => withScope(set, scope))])
}

/** Ranges do not overlap within the values of the added field. */
export function uniqueRangesOf(
  model: ModelDescription,
  additions: RouterAdditions,
): readonly UniqueRange[] {
  const declared = describeUniqueRanges(model)
  const scope = scopeField(model, additions)
  return scope ? Object.freeze(declared.map((range) => withScope(range, scope))) : declared
}

function scopeField(
  model: ModelDescription,
  { uniqueWithin: name }: RouterAdditions,
): ValueField | ToOneField | undefined {
  const field = name === undefined ? undefined : model.fieldsByName.get(name)
  return field?.kind === 'value' || field?.kind === 'toOne' ? field : undefined
}

function withScope<S extends UniqueSet>(set: S, scope: ValueField | ToOneField): S {
  return set.fields.includes(scope) ? set : { ...set, fields: [scope, ...set.fields] }
}

function isDeclaredUnique(
  { model }: ModelDescription,
  field: FieldDescription,
): field is ValueField | ToOneField {
  const definition: unknown = model.fields[field.name]
  return (
    field.kind === 'value' &&
    (definition as { options?: { unique?: boolean } }).options?.unique === true
  )
}

/** Ids of callers may be numbers, as access rules compare them. What is no id is no value. */
function idFrom(from: ValueFromRequest): ValueFromRequest {
  return (...request) => {
    const id = from(...request)
    return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
  }
}
