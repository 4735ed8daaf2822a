import type { FieldDescription, ModelDescription, RelationField, ToOneField, ValueField } from '../model/description.ts'
import { fieldSchema } from '../model/field-schema.ts'
import { isReadable, isWritable, type ModelView, type Views } from '../model/model-view.ts'
import { closed } from '../schema/closed.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { nullable } from '../schema/nullable.ts'
import { patchOf } from '../schema/patch-of.ts'
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

export function membersOf(members: readonly Member[]): MemberSchemas {
  return {
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, schema])),
    required: members.filter((one) => one.required).map((one) => one.name),
  }
}

/** The values of an item as they are sent, those that mappers add among them. */
export function sentValues(view: ModelView): readonly Member[] {
  const own = view.model.values
    .filter((field) => isReadable(view, field))
    .map((field) => ({
      name: field.wire,
      schema: { ...fieldSchema(view.model, field, 'output'), ...(field.visibility === 'readOnly' && readOnly) },
      required: field.requiredOut,
    }))
  const added = [...view.adds].map(([name, { schema, required }]) => ({
    name,
    schema: { ...schema, ...readOnly },
    required,
  }))
  return [...own, ...added]
}

/** The values that a client may send. Those that the service keeps itself are passed over, whatever they hold. */
export function takenValues(view: ModelView, purpose: Purpose, ignored?: string): readonly Member[] {
  const own = view.model.values
    .filter((field) => isWritable(view, field))
    .map((field) => (field.visibility === 'readOnly' ? passedOver(field) : taken(view, field, purpose, ignored)))
  const { hash } = view.model
  const kept = hash && isWritable(view, hash) ? [passedOver(hash)] : []
  const added = [...view.adds].map(([wire, { schema }]) => passedOver({ wire, description: schema.description }))
  return [...own, ...kept, ...added]
}

/** A relation as it is sent: middleware may hide what it relates to, which then looks like nothing. */
export function isNullable(views: Views, relation: RelationField): boolean {
  return relation.kind === 'toOne' && (relation.optional || views.of(relation.target).isGuarded)
}

/** Whether a client may send null for a relation to one: it may send back what it was given, and what it could not see is kept. */
export function isEmptiable(views: Views, relation: ToOneField, purpose: Purpose): boolean {
  return relation.optional || (purpose !== 'create' && views.of(relation.target).isGuarded)
}

/** Whether a client has to send the relation: what it cannot see is kept. */
export function isRelationRequired(view: ModelView, views: Views, relation: RelationField, purpose: Purpose): boolean {
  if (relation.kind !== 'toOne' || relation.optional || purpose === 'update') return false
  return purpose === 'create' || (isReadable(view, relation) && !views.of(relation.target).isGuarded)
}

const readOnly = { readOnly: true } as const

/** A member that only the service sets: its schema says what it is, and takes anything. */
export function passedOver({ wire, description }: Pick<FieldDescription, 'wire' | 'description'>): Member {
  const schema = description === undefined ? readOnly : { ...readOnly, description }
  return { name: wire, schema, required: false }
}

function taken(view: ModelView, field: ValueField, purpose: Purpose, ignored: string | undefined): Member {
  const schema = unlessSent(view, field, closed(fieldSchema(view.model, field, 'input'), ignored))
  if (purpose !== 'update') return { name: field.wire, schema, required: isRequired(view, field, purpose) }
  const patch = patchOf(schema)
  return { name: field.wire, schema: field.requiredIn ? patch : nullable(patch), required: false }
}

/** What is taken and not sent. PUT keeps its value, so no default holds for it. */
export function unlessSent(view: ModelView, field: FieldDescription, schema: JsonSchema): JsonSchema {
  if (isReadable(view, field)) return schema
  const { default: _, ...rest } = schema
  return { ...rest, writeOnly: true }
}

function isRequired(view: ModelView, field: ValueField, purpose: Purpose): boolean {
  return field.requiredIn && (purpose === 'create' || (field.visibility === 'visible' && !view.hides.has(field.wire)))
}

/** What `A book` says about the model in descriptions. */
export function aboutModel({ description }: ModelDescription): JsonSchema {
  return description === undefined ? {} : { description }
}
