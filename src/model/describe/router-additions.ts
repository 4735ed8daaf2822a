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
  /** The field with the tenant, within which values are unique; undefined without tenants. */
  readonly tenant: string | undefined
}

export const noAdditions: RouterAdditions = Object.freeze({ set: new Map(), tenant: undefined })

/** The field as this router has it. */
export function withAdditions(
  field: FieldDescription,
  { set, tenant }: RouterAdditions,
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
  const isUnique = field.isUnique && tenant === undefined
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

/** What is unique is so within a tenant. */
export function uniqueSetsOf(
  model: ModelDescription,
  additions: RouterAdditions,
): readonly UniqueSet[] {
  const declared = describeUniqueSets(model)
  const tenant = tenantField(model, additions)
  if (!tenant) return declared
  const ofFields = Object.entries(model.model.fields).flatMap(([fieldName]): UniqueSet[] => {
    const field = model.fieldsByName.get(fieldName)!
    return isDeclaredUnique(model, field) && field !== tenant
      ? [{ fields: [tenant, field], where: [] }]
      : []
  })
  return Object.freeze([...ofFields, ...declared.map((set) => withinTenant(set, tenant))])
}

/** Ranges do not overlap within a tenant. */
export function uniqueRangesOf(
  model: ModelDescription,
  additions: RouterAdditions,
): readonly UniqueRange[] {
  const declared = describeUniqueRanges(model)
  const tenant = tenantField(model, additions)
  return tenant ? Object.freeze(declared.map((range) => withinTenant(range, tenant))) : declared
}

function tenantField(
  model: ModelDescription,
  { tenant: name }: RouterAdditions,
): ValueField | ToOneField | undefined {
  const tenant = name === undefined ? undefined : model.fieldsByName.get(name)
  return tenant?.kind === 'value' || tenant?.kind === 'toOne' ? tenant : undefined
}

function withinTenant<S extends UniqueSet>(set: S, tenant: ValueField | ToOneField): S {
  return set.fields.includes(tenant) ? set : { ...set, fields: [tenant, ...set.fields] }
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
