import type { RelationField } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import { dependsOn } from '../../rule/parameter.ts'
import { closedObject } from '../../schema/closed.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { isIdRequired, takenId } from '../id-schemas.ts'
import { aboutModel, isEmptiable, isRelationRequired, membersOf, objectSchema, takenValues } from '../member-schemas.ts'
import { typeOf } from './resource-schemas.ts'

/** Members that are passed over wherever they stand (JSON:API 1.1, @-members). */
export const atMembers = '^@'

const known = new WeakMap<ModelView, Readonly<Record<Purpose, JsonSchema>>>()

/** The documents that clients send about one resource. Members beside attributes and relationships are passed over. */
export function takenDocument(view: ModelView, views: Views, purpose: Purpose): JsonSchema {
  const made = known.get(view) ?? makeSchemas(view, views)
  known.set(view, made)
  return { type: 'object', properties: { data: made[purpose] }, required: ['data'] }
}

function makeSchemas(view: ModelView, views: Views): Readonly<Record<Purpose, JsonSchema>> {
  const name = pascalOf(view.model.name)
  const made = (suffix: string, purpose: Purpose) =>
    component(name + suffix, 'part', () => takenResource(view, views, purpose))
  return { create: made('Create', 'create'), replace: made('Replace', 'replace'), update: made('Patch', 'update') }
}

function takenResource(view: ModelView, views: Views, purpose: Purpose): JsonSchema {
  const { model } = view
  const attributes = membersOf(takenValues(view, purpose, atMembers))
  const relationships = membersOf(
    model.relations
      // What a mapper hides may be written; the other side of a relation is no part of the item, and is then unknown.
      .filter((relation) => relation.kind !== 'inverse' || isReadable(view, relation))
      .map((relation) => ({
        name: relation.wire,
        schema: takenRelationship(view, views, relation, purpose),
        required: isRelationRequired(view, views, relation, purpose),
      })),
  )
  const isNew = purpose === 'create'
  return {
    type: 'object',
    ...aboutModel(model),
    properties: {
      type: typeOf(model.plural),
      id: takenId(model, purpose),
      ...(isNew && { lid: { type: 'string', description: 'Names the new resource within the document' } }),
      attributes: closedObject(objectSchema(attributes), atMembers),
      relationships: closedObject(objectSchema(relationships), atMembers),
    },
    required: [
      'type',
      ...(!isNew || isIdRequired(model, purpose) ? ['id'] : []),
      ...(attributes.required.length > 0 ? ['attributes'] : []),
      ...(relationships.required.length > 0 ? ['relationships'] : []),
    ],
  }
}

function takenRelationship(view: ModelView, views: Views, relation: RelationField, purpose: Purpose): JsonSchema {
  const { description } = relation
  const local = purpose === 'create' && relation.target === view.model
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

/** The body of a request to a relationship: what it is to hold, to gain or to lose. */
export function relationshipBody(relation: RelationField, views: Views): JsonSchema {
  const data = takenLinkage(relation, 'stored')
  const isOpen = relation.kind === 'toOne' && isEmptiable(views, relation, 'update')
  return { type: 'object', properties: { data: isOpen ? nullable(data) : data }, required: ['data'] }
}

/**
 * What a relation is to hold.
 * @param names `local` where the new resource of the document can be meant too, by its lid
 */
function takenLinkage({ kind, target }: RelationField, names: 'stored' | 'local'): JsonSchema {
  const stored: JsonSchema = { type: 'object', properties: { type: typeOf(target.plural), id: { type: 'string' } } }
  const properties = { ...stored.properties, lid: { type: 'string', [dependsOn]: 'lid' } } as const
  const one: JsonSchema =
    names === 'stored'
      ? { ...stored, required: ['type', 'id'] }
      : {
          anyOf: [
            { type: 'object', properties, required: ['type', 'id'] },
            { type: 'object', properties, required: ['type', 'lid'] },
          ],
        }
  return kind === 'toOne' ? one : { type: 'array', items: one }
}
