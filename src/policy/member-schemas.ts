import { fieldSchema } from '../model/field-schema.ts'
import type {
  FieldDescription,
  ModelDescription,
  RelationField,
  ToOneField,
  ValueField,
} from '../model/model-description.ts'
import { isReadable, isWritable, type ModelView, type ModelViews } from '../model/model-view.ts'
import { closeSchema } from '../schema/close-schema.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { mergePatchSchema } from '../schema/merge-patch-schema.ts'
import { nullable } from '../schema/nullable.ts'
import type { Purpose } from '../serializer/serializer.ts'

/** The members of an object, and which of them are always there. */
export interface MemberSchemas {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

/** The members that an object has, with no others where the service refuses them. */
export function objectSchema(members: MemberSchemas, rest: JsonSchema = {}): JsonSchema {
  const { properties, required } = members
  return { type: 'object', ...rest, properties, ...(required.length > 0 && { required }) }
}

interface Member {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

export function toMemberSchemas(members: readonly Member[]): MemberSchemas {
  return {
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.filter((one) => one.required).map((one) => one.name),
  }
}

/** The values of an item as they are sent, those that mappers add among them. */
export function responseValues(view: ModelView): readonly Member[] {
  const own = view.model.valueFields
    .filter((field) => isReadable(view, field))
    .map((field) => ({
      name: field.wireName,
      schema: {
        ...fieldSchema(view.model, field, 'output'),
        ...(field.visibility === 'readOnly' && readOnly),
      },
      required: field.isRequiredInResponse,
    }))
  const added = [...view.addedMembers].map(([name, { schema, isRequired }]) => ({
    name,
    schema: { ...schema, ...readOnly },
    required: isRequired,
  }))
  return [...own, ...added]
}

/**
 * The values that a client may send. Those that the service keeps itself are passed over, whatever
 * they hold.
 */
export function requestValues(
  view: ModelView,
  purpose: Purpose,
  ignored?: string,
): readonly Member[] {
  const own = view.model.valueFields
    .filter((field) => isWritable(view, field))
    .map((field) =>
      field.visibility === 'readOnly'
        ? ignoredMember(field)
        : requestValue(view, field, purpose, ignored),
    )
  const { hashField } = view.model
  const kept = hashField && isWritable(view, hashField) ? [ignoredMember(hashField)] : []
  const added = [...view.addedMembers].map(([wire, { schema }]) =>
    ignoredMember({ wireName: wire, description: schema.description }),
  )
  return [...own, ...kept, ...added]
}

/**
 * A relation as it is sent: middleware may hide what it relates to, which then looks like nothing.
 */
export function isNullable(views: ModelViews, relation: RelationField): boolean {
  return (
    relation.kind === 'toOne' && (relation.isOptional || views.of(relation.relatedModel).isGuarded)
  )
}

/**
 * Whether a client may send null for a relation to one: it may send back what it was given, and
 * what it could not see is kept.
 */
export function acceptsNull(views: ModelViews, relation: ToOneField, purpose: Purpose): boolean {
  return relation.isOptional || (purpose !== 'create' && views.of(relation.relatedModel).isGuarded)
}

/** Whether a client has to send the relation: what it cannot see is kept. */
export function isRelationRequired(
  view: ModelView,
  views: ModelViews,
  relation: RelationField,
  purpose: Purpose,
): boolean {
  if (relation.kind !== 'toOne' || relation.isOptional || purpose === 'update') return false
  return (
    purpose === 'create' ||
    (isReadable(view, relation) && !views.of(relation.relatedModel).isGuarded)
  )
}

const readOnly = { readOnly: true } as const

/** A member that only the service sets: its schema says what it is, and takes anything. */
export function ignoredMember({
  wireName,
  description,
}: Pick<FieldDescription, 'wireName' | 'description'>): Member {
  const schema = description === undefined ? readOnly : { ...readOnly, description }
  return { name: wireName, schema, required: false }
}

function requestValue(
  view: ModelView,
  field: ValueField,
  purpose: Purpose,
  ignored: string | undefined,
): Member {
  const schema = asWriteOnly(
    view,
    field,
    closeSchema(fieldSchema(view.model, field, 'input'), ignored),
  )
  if (purpose !== 'update')
    return { name: field.wireName, schema, required: isRequired(view, field, purpose) }
  const patch = mergePatchSchema(schema)
  return {
    name: field.wireName,
    schema: field.isRequiredInRequest ? patch : nullable(patch),
    required: false,
  }
}

/** What is taken and not sent. PUT keeps its value, so no default holds for it. */
export function asWriteOnly(
  view: ModelView,
  field: FieldDescription,
  schema: JsonSchema,
): JsonSchema {
  if (isReadable(view, field)) return schema
  const { default: _, ...rest } = schema
  return { ...rest, writeOnly: true }
}

function isRequired(view: ModelView, field: ValueField, purpose: Purpose): boolean {
  return (
    field.isRequiredInRequest &&
    (purpose === 'create' ||
      (field.visibility === 'visible' && !view.hiddenNames.has(field.wireName)))
  )
}

/** What `A book` says about the model in descriptions. */
export function modelAnnotations({ description }: ModelDescription): JsonSchema {
  return description === undefined ? {} : { description }
}
