import { fieldSchema } from '../model/field-schema.ts'
import { immutabilityText } from '../model/immutability-text.ts'
import type {
  FieldDescription,
  RelationField,
  ToOneField,
  ValueField,
} from '../model/model-description.ts'
import { isReadable, isWritable, type ModelView, type ModelViews } from '../model/model-view.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import { closeSchema } from '../schema/close-schema.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { mergePatchSchema } from '../schema/merge-patch-schema.ts'
import { nullable } from '../schema/nullable.ts'
import type { Purpose } from '../serializer/serializer.ts'

/** The members of an object, and the names of the required ones. */
export interface MemberSchemas {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

/** @param rest further keywords, such as `additionalProperties` */
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
    required: members.filter(({ required }) => required).map(({ name }) => name),
  }
}

/** The values of an item in responses, with those that mappers add. */
export function responseValues(view: ModelView): readonly Member[] {
  const own = view.model.valueFields
    .filter((field) => isReadable(view, field))
    .map((field) => ({
      name: field.wireName,
      schema: {
        ...fieldSchema(view.model, field, 'output'),
        ...((field.visibility === 'readOnly' || view.unsettableNames.has(field.wireName)) &&
          readOnly),
      },
      required: field.isRequiredInResponse && !view.maskedNames.has(field.wireName),
    }))
  const added = [...view.addedMembers].map(([name, { schema, isRequired }]) => ({
    name,
    schema: { ...schema, ...readOnly },
    required: isRequired,
  }))
  return [...own, ...added]
}

/**
 * The values of an item in requests. The service ignores the values of read-only members, except
 * those that come from the request, which clients may send back.
 */
export function requestValues(
  view: ModelView,
  purpose: Purpose,
  ignoredNamePattern?: string,
): readonly Member[] {
  const own = view.model.valueFields
    .filter((field) => isWritable(view, field))
    .map((field) =>
      field.visibility === 'readOnly'
        ? field.from
          ? keptMember(view, field)
          : ignoredMember(field)
        : view.unsettableNames.has(field.wireName)
          ? keptMember(view, field)
          : requestValue(view, field, purpose, ignoredNamePattern),
    )
  const { hashField } = view.model
  const hash = hashField && isWritable(view, hashField) ? [ignoredMember(hashField)] : []
  const added = [...view.addedMembers].map(([wire, { schema }]) =>
    ignoredMember({ wireName: wire, description: schema.description }),
  )
  return [...own, ...hash, ...added]
}

/**
 * Can a response hold null? Stored items may lack the relation, or middleware hides the related
 * item, or a rule the relation.
 */
export function isNullable(
  views: ModelViews,
  { maskedNames }: Pick<ModelView, 'maskedNames'>,
  relation: RelationField,
): boolean {
  return (
    relation.kind === 'toOne' &&
    (relation.isOptional ||
      relation.allowsMissing ||
      maskedNames.has(relation.wireName) ||
      views.of(relation.relatedModel).isGuarded)
  )
}

/**
 * May a client send null for a to-one relation? It may send back what it received: a related item
 * that middleware hides from the client stays related.
 */
export function acceptsNull(
  views: ModelViews,
  { maskedNames }: Pick<ModelView, 'maskedNames'>,
  relation: ToOneField,
  purpose: Purpose,
): boolean {
  const mayBeHidden =
    maskedNames.has(relation.wireName) || views.of(relation.relatedModel).isGuarded
  return relation.isOptional || (purpose !== 'create' && mayBeHidden)
}

/**
 * Must a client send the relation? A relation that it cannot see keeps its value, and only the
 * stored item tells whether middleware hides it from this client.
 */
export function relationRequirement(
  view: ModelView,
  views: ModelViews,
  relation: RelationField,
  purpose: Purpose,
): 'required' | 'requiredIfVisible' | 'optional' {
  if (relation.kind !== 'toOne' || relation.isOptional || purpose === 'update') return 'optional'
  // The service sets it, and keeps it where a client leaves it out.
  if (relation.isReadOnly || relation.from) return 'optional'
  if (view.unsettableNames.has(relation.wireName)) return 'optional'
  if (purpose === 'create') return 'required'
  if (!isReadable(view, relation) || view.maskedNames.has(relation.wireName)) return 'optional'
  return views.of(relation.relatedModel).isGuarded ? 'requiredIfVisible' : 'required'
}

/** The schema of what a request has for a relation: null too, where the client may send it. */
export function requestedLinkage(
  view: ModelView,
  views: ModelViews,
  relation: RelationField,
  purpose: Purpose,
  schema: JsonSchema,
): JsonSchema {
  if (relation.kind !== 'toOne' || !acceptsNull(views, view, relation, purpose)) return schema
  return relationRequirement(view, views, relation, purpose) === 'requiredIfVisible'
    ? { ...nullable(schema), [requiredIfVisibleKeyword]: relation.relatedModel.plural }
    : nullable(schema)
}

/**
 * Marks a relation that clients must send, and not as null, if they can see the related item, and
 * names its collection. Tools that generate requests read it.
 */
const requiredIfVisibleKeyword = 'x-resourcery-required-if-visible'

const readOnly = { readOnly: true } as const

/** Marks a relation that these callers cannot set. */
export function readOnlyMark(
  { unsettableNames }: Pick<ModelView, 'unsettableNames'>,
  relation: RelationField,
): JsonSchema {
  const isUnsettable = isReadOnlyRelation(relation) || unsettableNames.has(relation.wireName)
  return isUnsettable ? readOnly : {}
}

/** A member that only the service sets; its schema accepts any value. */
function ignoredMember({
  wireName,
  description,
}: Pick<FieldDescription, 'wireName' | 'description'>): Member {
  const schema = description === undefined ? readOnly : { ...readOnly, description }
  return { name: wireName, schema, required: false }
}

/** A member that clients may send back as they received it. */
function keptMember({ model }: ModelView, field: ValueField): Member {
  const { default: _, ...schema } = fieldSchema(model, field, 'output')
  return { name: field.wireName, schema: { ...schema, ...readOnly }, required: false }
}

function requestValue(
  view: ModelView,
  field: ValueField,
  purpose: Purpose,
  ignoredNamePattern: string | undefined,
): Member {
  const schema = asWriteOnly(
    view,
    field,
    closeSchema(fieldSchema(view.model, field, 'input'), ignoredNamePattern),
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

/**
 * Marks a field as write-only if clients cannot read it. PUT keeps its value, so it has no default.
 */
export function asWriteOnly(
  view: ModelView,
  field: FieldDescription,
  schema: JsonSchema,
): JsonSchema {
  if (isReadable(view, field)) return schema
  const { default: _, ...rest } = schema
  return { ...rest, writeOnly: true }
}

/** PUT keeps a value that the client does not see, so it need not be sent. */
function isRequired(view: ModelView, field: ValueField, purpose: Purpose): boolean {
  return (
    field.isRequiredInRequest &&
    !field.from &&
    (purpose === 'create' ||
      (field.visibility === 'visible' &&
        !view.hiddenNames.has(field.wireName) &&
        !view.maskedNames.has(field.wireName)))
  )
}

/** The description of the model, what its check requires, and which items are immutable. */
export function modelAnnotations(view: ModelView): JsonSchema {
  const { description, checkDescription } = view.model
  const texts = [description, checkDescription, immutabilityText(view)].filter(
    (text) => text !== undefined,
  )
  return texts.length === 0 ? {} : { description: texts.join('\n\n') }
}
