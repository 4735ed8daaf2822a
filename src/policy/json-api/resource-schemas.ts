import { oncePer } from '../../cache/once-per.ts'
import type { RelationField } from '../../model/description.ts'
import { isReadable, type ModelView, type Views } from '../../model/model-view.ts'
import { oneInWords, pascalOf } from '../../model/naming.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import { sentId } from '../id-schemas.ts'
import { aboutModel, isNullable, membersOf, objectSchema, sentValues } from '../member-schemas.ts'
import { relationshipLinks, resourceLinks, resourceMeta } from './common-schemas.ts'

/** How the resources of a model are answered. */
export interface ResourceSchemas {
  /** Whole, unless `fields` chose some of its members. */
  readonly resource: JsonSchema
  readonly identifier: JsonSchema
}

/** Each view has one set of schemas, so that documents write each of them once. */
export const resourceSchemas: (view: ModelView, views: Views) => ResourceSchemas = oncePer(makeSchemas)

function makeSchemas(view: ModelView, views: Views): ResourceSchemas {
  const { name, plural } = view.model
  const names = pascalOf(name)
  const whole = component(names, 'model', () => resource(view, views, 'whole'))
  const part = component(`${names}Part`, 'part', () => resource(view, views, 'part'))
  return {
    resource: component(`${names}OrPart`, 'part', () => ({ anyOf: [whole, part] }), whole),
    identifier: component(`${names}Identifier`, 'part', () => ({
      type: 'object',
      properties: { type: typeOf(plural), id: sentId, meta: resourceMeta },
      required: ['type', 'id'],
    })),
  }
}

export function typeOf(plural: string): JsonSchema {
  return { type: 'string', const: plural }
}

function resource(view: ModelView, views: Views, extent: 'whole' | 'part'): JsonSchema {
  const { model } = view
  const attributes = membersOf(sentValues(view))
  const relationships = membersOf(
    model.relations
      .filter((relation) => isReadable(view, relation))
      .map((relation) => ({ name: relation.wire, schema: relationship(relation, views), required: true })),
  )
  const binaries = model.resources.filter((field) => isReadable(view, field)).map((field) => field.wire)
  const always = (members: typeof attributes) => (extent === 'whole' ? members : { ...members, required: [] })
  const has = (members: typeof attributes) => Object.keys(members.properties).length > 0
  const needs = (members: typeof attributes) => extent === 'whole' && members.required.length > 0
  return {
    type: 'object',
    ...(extent === 'whole'
      ? aboutModel(model)
      : { description: `What \`fields[${model.plural}]\` chose of ${oneInWords(model.name)}` }),
    properties: {
      type: typeOf(model.plural),
      id: sentId,
      ...(has(attributes) && { attributes: objectSchema(always(attributes)) }),
      ...(has(relationships) && { relationships: objectSchema(always(relationships)) }),
      links: resourceLinks(binaries, extent),
      meta: resourceMeta,
    },
    required: [
      'type',
      'id',
      ...(needs(attributes) ? ['attributes'] : []),
      ...(needs(relationships) ? ['relationships'] : []),
      'links',
    ],
  }
}

/** The other side of a relation says what it holds only where that had to be looked up. */
function relationship(relation: RelationField, views: Views): JsonSchema {
  const { description } = relation
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: { links: relationshipLinks, data: linkage(relation, views) },
    required: relation.kind === 'inverse' ? ['links'] : ['links', 'data'],
  }
}

export function linkage(relation: RelationField, views: Views): JsonSchema {
  const { identifier } = resourceSchemas(views.of(relation.target), views)
  if (relation.kind !== 'toOne') return { type: 'array', items: identifier }
  return isNullable(views, relation) ? nullable(identifier) : identifier
}
