import { memoizeBy } from '../../cache/memoize-by.ts'
import type { RelationField } from '../../model/model-description.ts'
import { isReadable, type ModelView, type ModelViews } from '../../model/model-view.ts'
import { toPascalCase, toWordsWithArticle } from '../../model/naming.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import { responseIdSchema } from '../id-schemas.ts'
import {
  isNullable,
  modelAnnotations,
  objectSchema,
  responseValues,
  toMemberSchemas,
} from '../member-schemas.ts'
import { relationshipLinks, resourceLinks, resourceMeta } from './common-schemas.ts'

/** How the resources of a model are answered. */
export interface ResourceSchemas {
  /** Whole, unless `fields` chose some of its members. */
  readonly resource: JsonSchema
  readonly identifier: JsonSchema
}

/** Each view has one set of schemas, so that documents write each of them once. */
export const resourceSchemas: (view: ModelView, views: ModelViews) => ResourceSchemas =
  memoizeBy(makeSchemas)

function makeSchemas(view: ModelView, views: ModelViews): ResourceSchemas {
  const { name, plural } = view.model
  const names = toPascalCase(name)
  const whole = component(names, 'model', () => resourceSchemaOf(view, views, 'whole'))
  const part = component(`${names}Part`, 'part', () => resourceSchemaOf(view, views, 'part'))
  return {
    resource: component(`${names}OrPart`, 'part', () => ({ anyOf: [whole, part] }), whole),
    identifier: component(`${names}Identifier`, 'part', () => ({
      type: 'object',
      properties: { type: typeSchema(plural), id: responseIdSchema, meta: resourceMeta },
      required: ['type', 'id'],
    })),
  }
}

export function typeSchema(plural: string): JsonSchema {
  return { type: 'string', const: plural }
}

function resourceSchemaOf(
  view: ModelView,
  views: ModelViews,
  extent: 'whole' | 'part',
): JsonSchema {
  const { model } = view
  const attributes = toMemberSchemas(responseValues(view))
  const relationships = toMemberSchemas(
    model.relations
      .filter((relation) => isReadable(view, relation))
      .map((relation) => ({
        name: relation.wireName,
        schema: relationshipSchema(relation, views),
        required: true,
      })),
  )
  const binaries = model.resourceFields
    .filter((field) => isReadable(view, field))
    .map((field) => field.wireName)
  const always = (members: typeof attributes) =>
    extent === 'whole' ? members : { ...members, required: [] }
  const has = (members: typeof attributes) => Object.keys(members.properties).length > 0
  const needs = (members: typeof attributes) => extent === 'whole' && members.required.length > 0
  return {
    type: 'object',
    ...(extent === 'whole'
      ? modelAnnotations(model)
      : {
          description: `What \`fields[${model.plural}]\` chose of ${toWordsWithArticle(model.name)}`,
        }),
    properties: {
      type: typeSchema(model.plural),
      id: responseIdSchema,
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
function relationshipSchema(relation: RelationField, views: ModelViews): JsonSchema {
  const { description } = relation
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    properties: { links: relationshipLinks, data: linkageSchema(relation, views) },
    required: relation.kind === 'inverse' ? ['links'] : ['links', 'data'],
  }
}

export function linkageSchema(relation: RelationField, views: ModelViews): JsonSchema {
  const { identifier } = resourceSchemas(views.of(relation.relatedModel), views)
  if (relation.kind !== 'toOne') return { type: 'array', items: identifier }
  return isNullable(views, relation) ? nullable(identifier) : identifier
}
