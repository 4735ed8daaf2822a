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
  readOnlyMark,
  responseValues,
  toMemberSchemas,
} from '../member-schemas.ts'
import { relationshipLinks, resourceLinks, resourceMeta } from './common-schemas.ts'

/** The schemas of the resources of a model in responses. */
export interface ResourceSchemas {
  /** The complete resource, or the members that `fields` selects. */
  readonly resource: JsonSchema
  readonly identifier: JsonSchema
}

/** One set of schemas per view, so that a document writes each of them once. */
export const resourceSchemas: (view: ModelView, views: ModelViews) => ResourceSchemas =
  memoizeBy(makeSchemas)

function makeSchemas(view: ModelView, views: ModelViews): ResourceSchemas {
  const { name, plural } = view.model
  const componentName = toPascalCase(name)
  const complete = component(componentName, 'model', () =>
    resourceSchemaOf(view, views, 'complete'),
  )
  const part = component(`${componentName}Part`, 'part', () =>
    resourceSchemaOf(view, views, 'selected'),
  )
  return {
    resource: component(
      `${componentName}OrPart`,
      'part',
      () => ({ anyOf: [complete, part] }),
      complete,
    ),
    identifier: component(`${componentName}Identifier`, 'part', () => ({
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
  extent: 'complete' | 'selected',
): JsonSchema {
  const { model } = view
  const attributes = toMemberSchemas(responseValues(view))
  const relationships = toMemberSchemas(
    model.relations
      .filter((relation) => isReadable(view, relation))
      .map((relation) => ({
        name: relation.wireName,
        schema: relationshipSchema(view, relation, views),
        // A hidden one reads as null, or as an empty list.
        required: !view.absentNames.has(relation.wireName),
      })),
  )
  const binaries = model.resourceFields
    .filter((field) => isReadable(view, field))
    .map((field) => field.wireName)
  const withRequired = (members: typeof attributes) =>
    extent === 'complete' ? members : { ...members, required: [] }
  const hasMembers = (members: typeof attributes) => Object.keys(members.properties).length > 0
  const isRequired = (members: typeof attributes) =>
    extent === 'complete' && members.required.length > 0
  return {
    type: 'object',
    ...(extent === 'complete'
      ? modelAnnotations(view)
      : {
          description: `The members of ${toWordsWithArticle(model.name)} that \`fields[${model.plural}]\` selects`,
        }),
    properties: {
      type: typeSchema(model.plural),
      id: responseIdSchema,
      ...(hasMembers(attributes) && { attributes: objectSchema(withRequired(attributes)) }),
      ...(hasMembers(relationships) && {
        relationships: objectSchema(withRequired(relationships)),
      }),
      links: resourceLinks(binaries, view.maskedNames, extent),
      meta: resourceMeta,
    },
    required: [
      'type',
      'id',
      ...(isRequired(attributes) ? ['attributes'] : []),
      ...(isRequired(relationships) ? ['relationships'] : []),
      'links',
    ],
  }
}

/** An inverse relation has `data` only if the request made the service read it. */
function relationshipSchema(
  owner: ModelView,
  relation: RelationField,
  views: ModelViews,
): JsonSchema {
  const { description } = relation
  return {
    type: 'object',
    ...(description !== undefined && { description }),
    ...readOnlyMark(owner, relation),
    properties: { links: relationshipLinks, data: linkageSchema(owner, relation, views) },
    required: relation.kind === 'inverse' ? ['links'] : ['links', 'data'],
  }
}

export function linkageSchema(
  owner: Pick<ModelView, 'maskedNames'>,
  relation: RelationField,
  views: ModelViews,
): JsonSchema {
  const { identifier } = resourceSchemas(views.of(relation.relatedModel), views)
  if (relation.kind !== 'toOne') return { type: 'array', items: identifier }
  return isNullable(views, owner, relation) ? nullable(identifier) : identifier
}
