import { memoizeBy } from '../cache/memoize-by.ts'
import { fieldSchema } from '../model/field-schema.ts'
import type {
  InverseField,
  ModelDescription,
  OwnedRelation,
  RelationField,
} from '../model/model-description.ts'
import { isReadable, isWritable, type ModelView, type ModelViews } from '../model/model-view.ts'
import { toPascalCase, toWordsWithArticle } from '../model/naming.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'
import { nullable, withoutNull } from '../schema/nullable.ts'
import type { Purpose } from '../serializer/serializer.ts'
import { isIdRequired, requestIdSchema, responseIdSchema } from './id-schemas.ts'
import {
  asWriteOnly,
  isNullable,
  modelAnnotations,
  objectSchema,
  readOnlyMark,
  relationRequirement,
  requestedLinkage,
  requestValues,
  responseValues,
  toMemberSchemas,
} from './member-schemas.ts'

/**
 * The schemas of flat items, in which values, ids of relations and links of binary resources stand
 * side by side, in responses and requests.
 */
export interface FlatItemSchemas {
  /** The complete item, or the members that `fields` selects. */
  readonly response: JsonSchema
  readonly request: Readonly<Record<Purpose, JsonSchema>>
}

/**
 * One set of schemas per view, so that a document writes each of them once.
 *
 * ```ts
 * const { response, request } = flatItemSchemas(view, views)
 * ```
 */
export const flatItemSchemas: (view: ModelView, views: ModelViews) => FlatItemSchemas =
  memoizeBy(makeSchemas)

function makeSchemas(view: ModelView, views: ModelViews): FlatItemSchemas {
  const { model } = view
  const name = toPascalCase(model.name)
  const complete = component(name, 'model', () => responseItemSchema(view, views))
  const part = component(`${name}Part`, 'part', () => ({
    ...responseItemSchema(view, views),
    description: `The members of ${toWordsWithArticle(model.name)} that \`fields[${model.plural}]\` selects`,
    required: ['id'],
  }))
  return {
    response: component(`${name}OrPart`, 'part', () => ({ anyOf: [complete, part] }), complete),
    request: {
      create: component(`${name}Create`, 'part', () => requestItemSchema(view, views, 'create')),
      replace: component(`${name}Replace`, 'part', () => requestItemSchema(view, views, 'replace')),
      update: component(`${name}Patch`, 'part', () => requestItemSchema(view, views, 'update')),
    },
  }
}

function responseItemSchema(view: ModelView, views: ModelViews): JsonSchema {
  const { model } = view
  const relations = model.ownedRelations
    .filter((field) => isReadable(view, field))
    .map((field) => ({
      name: field.wireName,
      schema: { ...flatLinkageSchema(view, views, field), ...readOnlyMark(view, field) },
      // A hidden one reads as null, or as an empty list.
      required: !view.absentNames.has(field.wireName),
    }))
  const hash =
    model.hashField && isReadable(view, model.hashField)
      ? [
          {
            name: model.hashField.wireName,
            schema: { ...fieldSchema(model, model.hashField, 'output'), readOnly: true },
            required: true,
          },
        ]
      : []
  const id = { name: 'id', schema: responseIdSchema, required: true }
  const members = [id, ...responseValues(view), ...relations, ...resourceMembers(view), ...hash]
  return objectSchema(toMemberSchemas(members), modelAnnotations(view))
}

/**
 * The ids that a relation holds in responses: one id or null, or an array of ids.
 *
 * ```ts
 * const contents = createContents(['application/json'], flatLinkageSchema(view, views, relation))
 * ```
 */
export function flatLinkageSchema(
  view: ModelView,
  views: ModelViews,
  relation: RelationField,
): JsonSchema {
  const schema = fieldSchema(view.model, relation, 'output')
  return isNullable(views, view, relation) ? nullable(schema) : schema
}

/** Clients upload binary resources to their own URLs; in an item they may send back the links. */
function resourceMembers(view: ModelView) {
  return view.model.resourceFields
    .filter((field) => isReadable(view, field))
    .map((field) => ({
      name: field.wireName,
      schema: fieldSchema(view.model, field, 'output'),
      required: !view.maskedNames.has(field.wireName),
    }))
}

function requestItemSchema(view: ModelView, views: ModelViews, purpose: Purpose): JsonSchema {
  const { model } = view
  const relations = model.relations
    .filter((field) => isWritable(view, field))
    .map((field) =>
      field.kind === 'inverse'
        ? inverseMember(model, field)
        : requestRelation(view, views, field, purpose),
    )
  const resources = resourceMembers(view).map((member) => ({ ...member, required: false }))
  const id = {
    name: 'id',
    schema: requestIdSchema(model, purpose),
    required: isIdRequired(model, purpose),
  }
  return {
    ...objectSchema(
      toMemberSchemas([id, ...requestValues(view, purpose), ...relations, ...resources]),
      modelAnnotations(view),
    ),
    additionalProperties: false,
  }
}

/** Clients write an inverse relation from its other side; here they may send it back unchanged. */
function inverseMember(model: ModelDescription, field: InverseField) {
  return {
    name: field.wireName,
    schema: { ...fieldSchema(model, field, 'output'), readOnly: true },
    required: false,
  }
}

function requestRelation(
  view: ModelView,
  views: ModelViews,
  field: OwnedRelation,
  purpose: Purpose,
) {
  const schema = withoutNull(fieldSchema(view.model, field, 'input'))
  return {
    name: field.wireName,
    schema: {
      ...asWriteOnly(view, field, requestedLinkage(view, views, field, purpose, schema)),
      ...readOnlyMark(view, field),
    },
    required: relationRequirement(view, views, field, purpose) === 'required',
  }
}
