import { oncePer } from '../../cache/once-per.ts'
import type { ModelDescription, RelationField } from '../../model/description.ts'
import { isWritable, type ModelView, type Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import { dependsOn } from '../../rule/parameter.ts'
import { closedObject } from '../../schema/closed.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { isIdRequired, takenId } from '../id-schemas.ts'
import {
  aboutModel,
  isEmptiable,
  isRelationRequired,
  membersOf,
  objectSchema,
  takenValues,
  unlessSent,
} from '../member-schemas.ts'
import { typeOf } from './resource-schemas.ts'

/** Members that are passed over wherever they stand (JSON:API 1.1, @-members). */
export const atMembers = '^@'

/** Where a resource stands: by itself in a document, or in a batch, where lids name what operations before it add. */
type Place = 'document' | 'batch'

type Schemas = Readonly<Record<Purpose, JsonSchema>>

const known: Readonly<Record<Place, WeakMap<ModelView, Schemas>>> = { document: new WeakMap(), batch: new WeakMap() }

/** The documents that clients send about one resource. Members beside attributes and relationships are passed over. */
export function takenDocument(view: ModelView, views: Views, purpose: Purpose): JsonSchema {
  return { type: 'object', properties: { data: takenIn('document', view, views)[purpose] }, required: ['data'] }
}

/** The resource that an operation of a batch adds. */
export function addedInBatch(view: ModelView, views: Views): JsonSchema {
  return takenIn('batch', view, views).create
}

/** The resource that an operation of a batch updates, named by its id or by the lid it was added under. */
export function updatedInBatch(view: ModelView, views: Views): JsonSchema {
  return { allOf: [takenIn('batch', view, views).update, naming(view.model)] }
}

function takenIn(place: Place, view: ModelView, views: Views): Schemas {
  const made = known[place].get(view) ?? makeSchemas(place, view, views)
  known[place].set(view, made)
  return made
}

function makeSchemas(place: Place, view: ModelView, views: Views): Schemas {
  const name = pascalOf(view.model.name)
  const made = (suffix: string, purpose: Purpose) =>
    component(name + suffix + (place === 'batch' ? 'InBatch' : ''), 'part', () =>
      takenResource(view, views, purpose, place),
    )
  return { create: made('Create', 'create'), replace: made('Replace', 'replace'), update: made('Patch', 'update') }
}

function takenResource(view: ModelView, views: Views, purpose: Purpose, place: Place): JsonSchema {
  const { model } = view
  const needsAttributes = membersOf(takenValues(view, purpose, atMembers)).required.length > 0
  const relationships = membersOf(
    model.relations
      .filter((relation) => isWritable(view, relation))
      .map((relation) => ({
        name: relation.wire,
        schema: unlessSent(view, relation, takenRelationship(view, views, relation, purpose, place)),
        required: isRelationRequired(view, views, relation, purpose),
      })),
  )
  const isNew = purpose === 'create'
  return {
    type: 'object',
    ...aboutModel(model),
    properties: {
      type: typeOf(model.plural),
      ...((isNew || place === 'document') && { id: takenId(model, purpose) }),
      ...(isNew && { lid: place === 'batch' ? ownLid : { type: 'string', description: ownLid.description } }),
      attributes: attributesOf(view, purpose),
      relationships: closedObject(objectSchema(relationships), atMembers),
    },
    required: [
      'type',
      ...((!isNew && place === 'document') || isIdRequired(model, purpose) ? ['id'] : []),
      ...(needsAttributes ? ['attributes'] : []),
      ...(relationships.required.length > 0 ? ['relationships'] : []),
    ],
  }
}

const attributes = new WeakMap<ModelView, Map<Purpose, JsonSchema>>()

/** Alike in documents and in batches. */
function attributesOf(view: ModelView, purpose: Purpose): JsonSchema {
  const made = attributes.get(view) ?? new Map<Purpose, JsonSchema>()
  attributes.set(view, made)
  const suffix = { create: 'Create', replace: 'Replace', update: 'Patch' }[purpose]
  const make = () => closedObject(objectSchema(membersOf(takenValues(view, purpose, atMembers))), atMembers)
  const schema = made.get(purpose) ?? component(`${pascalOf(view.model.name)}${suffix}Attributes`, 'part', make)
  made.set(purpose, schema)
  return schema
}

/** In a batch no other resource of its type has it. */
const ownLid = {
  type: 'string',
  description: 'Names the new resource within the document',
  [dependsOn]: 'atomic:operations',
} as const

function takenRelationship(
  view: ModelView,
  views: Views,
  relation: RelationField,
  purpose: Purpose,
  place: Place,
): JsonSchema {
  const { description } = relation
  const local = place === 'batch' || (purpose === 'create' && relation.target === view.model)
  const data = takenLinkage(relation, local ? 'local' : 'stored')
  const about = description === undefined ? {} : { description }
  const properties = {
    data: relation.kind === 'toOne' && isEmptiable(views, relation, purpose) ? nullable(data) : data,
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
export function relationshipBody(relation: RelationField, views: Views): JsonSchema {
  return { type: 'object', properties: { data: relationshipData(relation, views, 'stored') }, required: ['data'] }
}

/** What a relationship is to hold, to gain or to lose. */
export function relationshipData(relation: RelationField, views: Views, names: Names): JsonSchema {
  const data = takenLinkage(relation, names)
  return relation.kind === 'toOne' && isEmptiable(views, relation, 'update') ? nullable(data) : data
}

/** Whether resources are named by ids alone, or by lids too: that of the new resource itself, or those of a batch. */
type Names = 'stored' | 'local'

/** What a relation is to hold. */
function takenLinkage({ kind, target }: RelationField, names: Names): JsonSchema {
  const stored = { type: 'object', properties: { type: typeOf(target.plural), id }, required: ['type', 'id'] } as const
  const one = names === 'local' ? naming(target) : stored
  return kind === 'toOne' ? one : { type: 'array', items: one }
}

const id: JsonSchema = { type: 'string' }
const lid: JsonSchema = { type: 'string', [dependsOn]: 'lid' }

/** A resource that is there, or by its lid one that is yet to be: what operations of a batch name. */
export const naming: (model: ModelDescription) => JsonSchema = oncePer((model: ModelDescription) =>
  component(`${pascalOf(model.name)}Naming`, 'part', () =>
    namedBy(model, { ...id, 'x-resourcery-relates-to': model.plural }),
  ),
)

/** The same of one that is to go, which tools that make requests up need to know. */
export function namingOfRemoved(model: ModelDescription): JsonSchema {
  return namedBy(model, { ...id, 'x-resourcery-removes': model.plural })
}

function namedBy({ plural }: ModelDescription, id: JsonSchema): JsonSchema {
  const type = typeOf(plural)
  return {
    anyOf: [
      { type: 'object', properties: { type, id }, required: ['type', 'id'] },
      { type: 'object', properties: { type, lid }, required: ['type', 'lid'] },
    ],
  }
}
