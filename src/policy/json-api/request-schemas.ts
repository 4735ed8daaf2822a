import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ModelDescription, RelationField } from '../../model/model-description.ts'
import { isWritable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { dependsOnKeyword } from '../../rule/query-parameter.ts'
import { closeObjectSchema } from '../../schema/close-schema.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { isIdRequired, requestIdSchema } from '../id-schemas.ts'
import {
  acceptsNull,
  asWriteOnly,
  modelAnnotations,
  objectSchema,
  readOnlyMark,
  relationRequirement,
  requestedLinkage,
  requestValues,
  toMemberSchemas,
} from '../member-schemas.ts'
import { typeSchema } from './resource-schemas.ts'

/** The names of members that readers ignore (JSON:API 1.1, @-members). */
export const atMemberPattern = '^@'

/** A single document, or a batch, in which lids can refer to resources of earlier operations. */
type PayloadLocation = 'document' | 'batch'

type SchemasByPurpose = Readonly<Record<Purpose, JsonSchema>>

const schemasByLocation: Readonly<Record<PayloadLocation, WeakMap<ModelView, SchemasByPurpose>>> = {
  document: new WeakMap(),
  batch: new WeakMap(),
}

/** The documents that clients send to write one resource. */
export function requestDocumentSchema(
  view: ModelView,
  views: ModelViews,
  purpose: Purpose,
): JsonSchema {
  return {
    type: 'object',
    properties: { data: requestSchemas('document', view, views)[purpose] },
    required: ['data'],
  }
}

/** The resource inside of these documents. */
export function requestedResource(
  view: ModelView,
  views: ModelViews,
  purpose: Purpose,
): JsonSchema {
  return requestSchemas('document', view, views)[purpose]
}

/** The resource that an operation of a batch adds. */
export function batchCreateSchema(view: ModelView, views: ModelViews): JsonSchema {
  return requestSchemas('batch', view, views).create
}

/** The resource that an operation of a batch updates, with its `id` or `lid`. */
export function batchUpdateSchema(view: ModelView, views: ModelViews): JsonSchema {
  return { allOf: [requestSchemas('batch', view, views).update, referenceSchema(view.model)] }
}

function requestSchemas(
  location: PayloadLocation,
  view: ModelView,
  views: ModelViews,
): SchemasByPurpose {
  const schemas = schemasByLocation[location].get(view) ?? makeSchemas(location, view, views)
  schemasByLocation[location].set(view, schemas)
  return schemas
}

function makeSchemas(
  location: PayloadLocation,
  view: ModelView,
  views: ModelViews,
): SchemasByPurpose {
  const name = toPascalCase(view.model.name)
  const schemaFor = (suffix: string, purpose: Purpose) =>
    component(name + suffix + (location === 'batch' ? 'InBatch' : ''), 'part', () =>
      requestResourceSchema(view, views, purpose, location),
    )
  return {
    create: schemaFor('Create', 'create'),
    replace: schemaFor('Replace', 'replace'),
    update: schemaFor('Patch', 'update'),
  }
}

function requestResourceSchema(
  view: ModelView,
  views: ModelViews,
  purpose: Purpose,
  location: PayloadLocation,
): JsonSchema {
  const { model } = view
  const needsAttributes =
    toMemberSchemas(requestValues(view, purpose, atMemberPattern)).required.length > 0
  const relationships = toMemberSchemas(
    model.relations
      .filter((relation) => isWritable(view, relation))
      .map((relation) => ({
        name: relation.wireName,
        schema: asWriteOnly(
          view,
          relation,
          requestRelationshipSchema(view, views, relation, purpose, location),
        ),
        required: relationRequirement(view, views, relation, purpose) === 'required',
      })),
  )
  const isNew = purpose === 'create'
  return {
    type: 'object',
    ...modelAnnotations(view),
    properties: {
      type: typeSchema(model.plural),
      ...((isNew || location === 'document') && { id: requestIdSchema(model, purpose) }),
      ...(isNew && {
        lid:
          location === 'batch'
            ? ownLidSchema
            : { type: 'string', description: ownLidSchema.description },
      }),
      attributes: requestAttributesSchema(view, purpose),
      relationships: closeObjectSchema(objectSchema(relationships), atMemberPattern),
    },
    required: [
      'type',
      ...((!isNew && location === 'document') || isIdRequired(model, purpose) ? ['id'] : []),
      ...(needsAttributes ? ['attributes'] : []),
      ...(relationships.required.length > 0 ? ['relationships'] : []),
    ],
  }
}

const attributeSchemas = new WeakMap<ModelView, Map<Purpose, JsonSchema>>()

/** The same schema in documents and in batches. */
function requestAttributesSchema(view: ModelView, purpose: Purpose): JsonSchema {
  const byPurpose = attributeSchemas.get(view) ?? new Map<Purpose, JsonSchema>()
  attributeSchemas.set(view, byPurpose)
  const suffix = { create: 'Create', replace: 'Replace', update: 'Patch' }[purpose]
  const make = () =>
    closeObjectSchema(
      objectSchema(toMemberSchemas(requestValues(view, purpose, atMemberPattern))),
      atMemberPattern,
    )
  const schema =
    byPurpose.get(purpose) ??
    component(`${toPascalCase(view.model.name)}${suffix}Attributes`, 'part', make)
  byPurpose.set(purpose, schema)
  return schema
}

/** Unique among the resources of its type in a batch. */
const ownLidSchema = {
  type: 'string',
  description: 'Local id of the new resource, valid within the document',
  [dependsOnKeyword]: 'atomic:operations',
} as const

function requestRelationshipSchema(
  view: ModelView,
  views: ModelViews,
  relation: RelationField,
  purpose: Purpose,
  location: PayloadLocation,
): JsonSchema {
  const { description } = relation
  const allowsLids =
    location === 'batch' || (purpose === 'create' && relation.relatedModel === view.model)
  const data = requestLinkageSchema(relation, allowsLids ? 'local' : 'stored')
  const annotations = {
    ...(description !== undefined && { description }),
    ...readOnlyMark(view, relation),
  }
  const properties = { data: requestedLinkage(view, views, relation, purpose, data) }
  const withData: JsonSchema = { type: 'object', properties, required: ['data'] }
  if (relation.kind !== 'inverse') return { ...annotations, ...withData }
  // Responses hold inverse relations as links only, and clients may send back what they received.
  const links: JsonSchema = { type: 'object', additionalProperties: true }
  return {
    ...annotations,
    anyOf: [
      withData,
      { type: 'object', properties: { ...properties, links }, required: ['links'] },
    ],
  }
}

/** The body of a request to a relationship. */
export function relationshipBodySchema(relation: RelationField, views: ModelViews): JsonSchema {
  return {
    type: 'object',
    properties: { data: relationshipDataSchema(relation, views, 'stored') },
    required: ['data'],
  }
}

/** The linkage to set, add or remove. */
export function relationshipDataSchema(
  relation: RelationField,
  views: ModelViews,
  references: ReferenceKind,
): JsonSchema {
  const data = requestLinkageSchema(relation, references)
  return relation.kind === 'toOne' && acceptsNull(views, noMasks, relation, 'update')
    ? nullable(data)
    : data
}

/** Null in a relationship of its own always means none. */
const noMasks: Pick<ModelView, 'maskedNames'> = { maskedNames: new Set() }

/** References by id only, or by lid too: of the new resource itself, or of a batch. */
type ReferenceKind = 'stored' | 'local'

/** The linkage of a relation in requests. */
function requestLinkageSchema(
  { kind, relatedModel }: RelationField,
  references: ReferenceKind,
): JsonSchema {
  const identifier = (references === 'local' ? referenceSchema : storedReferenceSchema)(
    relatedModel,
  )
  return kind === 'toOne' ? identifier : { type: 'array', items: identifier }
}

const idSchema: JsonSchema = { type: 'string' }
const lidSchema: JsonSchema = { type: 'string', [dependsOnKeyword]: 'lid' }

/** The id of a stored resource. A component, since every relation to the model refers to it. */
const storedReferenceSchema: (model: ModelDescription) => JsonSchema = memoizeBy(
  ({ name, plural }: ModelDescription) =>
    component(`${toPascalCase(name)}Reference`, 'part', () => ({
      type: 'object',
      properties: { type: typeSchema(plural), id: idSchema },
      required: ['type', 'id'],
    })),
)

/** A reference in a batch: the id of a stored resource, or the lid of a new one. */
export const referenceSchema: (model: ModelDescription) => JsonSchema = memoizeBy(
  (model: ModelDescription) =>
    component(`${toPascalCase(model.name)}Naming`, 'part', () =>
      createReferenceSchema(model, { ...idSchema, 'x-resourcery-relates-to': model.plural }),
    ),
)

/** A reference to a resource to delete; tools that generate requests need the distinction. */
export function removalReferenceSchema(model: ModelDescription): JsonSchema {
  return createReferenceSchema(model, { ...idSchema, 'x-resourcery-removes': model.plural })
}

function createReferenceSchema({ plural }: ModelDescription, id: JsonSchema): JsonSchema {
  const type = typeSchema(plural)
  return {
    anyOf: [
      { type: 'object', properties: { type, id }, required: ['type', 'id'] },
      { type: 'object', properties: { type, lid: lidSchema }, required: ['type', 'lid'] },
    ],
  }
}
