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
  isRelationRequired,
  modelAnnotations,
  objectSchema,
  requestValues,
  toMemberSchemas,
} from '../member-schemas.ts'
import { typeSchema } from './resource-schemas.ts'

/** Members that are passed over wherever they stand (JSON:API 1.1, @-members). */
export const atMemberPattern = '^@'

/**
 * Where a resource stands: by itself in a document, or in a batch, where lids name what operations
 * before it add.
 */
type PayloadLocation = 'document' | 'batch'

type SchemasByPurpose = Readonly<Record<Purpose, JsonSchema>>

const schemasByLocation: Readonly<Record<PayloadLocation, WeakMap<ModelView, SchemasByPurpose>>> = {
  document: new WeakMap(),
  batch: new WeakMap(),
}

/**
 * The documents that clients send about one resource. Members beside attributes and relationships
 * are passed over.
 */
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

/** The resource that an operation of a batch adds. */
export function batchCreateSchema(view: ModelView, views: ModelViews): JsonSchema {
  return requestSchemas('batch', view, views).create
}

/**
 * The resource that an operation of a batch updates, named by its id or by the lid it was added
 * under.
 */
export function batchUpdateSchema(view: ModelView, views: ModelViews): JsonSchema {
  return { allOf: [requestSchemas('batch', view, views).update, referenceSchema(view.model)] }
}

function requestSchemas(
  place: PayloadLocation,
  view: ModelView,
  views: ModelViews,
): SchemasByPurpose {
  const made = schemasByLocation[place].get(view) ?? makeSchemas(place, view, views)
  schemasByLocation[place].set(view, made)
  return made
}

function makeSchemas(place: PayloadLocation, view: ModelView, views: ModelViews): SchemasByPurpose {
  const name = toPascalCase(view.model.name)
  const made = (suffix: string, purpose: Purpose) =>
    component(name + suffix + (place === 'batch' ? 'InBatch' : ''), 'part', () =>
      requestResourceSchema(view, views, purpose, place),
    )
  return {
    create: made('Create', 'create'),
    replace: made('Replace', 'replace'),
    update: made('Patch', 'update'),
  }
}

function requestResourceSchema(
  view: ModelView,
  views: ModelViews,
  purpose: Purpose,
  place: PayloadLocation,
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
          requestRelationshipSchema(view, views, relation, purpose, place),
        ),
        required: isRelationRequired(view, views, relation, purpose),
      })),
  )
  const isNew = purpose === 'create'
  return {
    type: 'object',
    ...modelAnnotations(model),
    properties: {
      type: typeSchema(model.plural),
      ...((isNew || place === 'document') && { id: requestIdSchema(model, purpose) }),
      ...(isNew && {
        lid:
          place === 'batch'
            ? ownLidSchema
            : { type: 'string', description: ownLidSchema.description },
      }),
      attributes: requestAttributesSchema(view, purpose),
      relationships: closeObjectSchema(objectSchema(relationships), atMemberPattern),
    },
    required: [
      'type',
      ...((!isNew && place === 'document') || isIdRequired(model, purpose) ? ['id'] : []),
      ...(needsAttributes ? ['attributes'] : []),
      ...(relationships.required.length > 0 ? ['relationships'] : []),
    ],
  }
}

const attributeSchemas = new WeakMap<ModelView, Map<Purpose, JsonSchema>>()

/** Alike in documents and in batches. */
function requestAttributesSchema(view: ModelView, purpose: Purpose): JsonSchema {
  const made = attributeSchemas.get(view) ?? new Map<Purpose, JsonSchema>()
  attributeSchemas.set(view, made)
  const suffix = { create: 'Create', replace: 'Replace', update: 'Patch' }[purpose]
  const make = () =>
    closeObjectSchema(
      objectSchema(toMemberSchemas(requestValues(view, purpose, atMemberPattern))),
      atMemberPattern,
    )
  const schema =
    made.get(purpose) ??
    component(`${toPascalCase(view.model.name)}${suffix}Attributes`, 'part', make)
  made.set(purpose, schema)
  return schema
}

/** In a batch no other resource of its type has it. */
const ownLidSchema = {
  type: 'string',
  description: 'Names the new resource within the document',
  [dependsOnKeyword]: 'atomic:operations',
} as const

function requestRelationshipSchema(
  view: ModelView,
  views: ModelViews,
  relation: RelationField,
  purpose: Purpose,
  place: PayloadLocation,
): JsonSchema {
  const { description } = relation
  const local = place === 'batch' || (purpose === 'create' && relation.relatedModel === view.model)
  const data = requestLinkageSchema(relation, local ? 'local' : 'stored')
  const about = description === undefined ? {} : { description }
  const properties = {
    data:
      relation.kind === 'toOne' && acceptsNull(views, relation, purpose) ? nullable(data) : data,
  }
  const holding: JsonSchema = { type: 'object', properties, required: ['data'] }
  if (relation.kind !== 'inverse') return { ...about, ...holding }
  // Of the other side of a relation a client may send back the links alone, as it was given them.
  const links: JsonSchema = { type: 'object', additionalProperties: true }
  return {
    ...about,
    anyOf: [holding, { type: 'object', properties: { ...properties, links }, required: ['links'] }],
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

/** What a relationship is to hold, to gain or to lose. */
export function relationshipDataSchema(
  relation: RelationField,
  views: ModelViews,
  names: ReferenceKind,
): JsonSchema {
  const data = requestLinkageSchema(relation, names)
  return relation.kind === 'toOne' && acceptsNull(views, relation, 'update') ? nullable(data) : data
}

/**
 * Whether resources are named by ids alone, or by lids too: that of the new resource itself, or
 * those of a batch.
 */
type ReferenceKind = 'stored' | 'local'

/** What a relation is to hold. */
function requestLinkageSchema(
  { kind, relatedModel }: RelationField,
  names: ReferenceKind,
): JsonSchema {
  const stored = {
    type: 'object',
    properties: { type: typeSchema(relatedModel.plural), id: idSchema },
    required: ['type', 'id'],
  } as const
  const one = names === 'local' ? referenceSchema(relatedModel) : stored
  return kind === 'toOne' ? one : { type: 'array', items: one }
}

const idSchema: JsonSchema = { type: 'string' }
const lidSchema: JsonSchema = { type: 'string', [dependsOnKeyword]: 'lid' }

/**
 * A resource that is there, or by its lid one that is yet to be: what operations of a batch name.
 */
export const referenceSchema: (model: ModelDescription) => JsonSchema = memoizeBy(
  (model: ModelDescription) =>
    component(`${toPascalCase(model.name)}Naming`, 'part', () =>
      createReferenceSchema(model, { ...idSchema, 'x-resourcery-relates-to': model.plural }),
    ),
)

/** The same of one that is to go, which tools that make requests up need to know. */
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
