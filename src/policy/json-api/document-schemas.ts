import { memoizeBy } from '../../cache/memoize-by.ts'
import type { RelationField } from '../../model/model-description.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { Contents } from '../../rule/rule.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import { unionSchema } from '../../schema/union-schema.ts'
import { includableModels, maxInlineModels, viewsByPlural } from '../reachable-models.ts'
import { documentLinks, jsonApiObject, listMeta } from './common-schemas.ts'
import { mediaType } from './media-types.ts'
import { linkageSchema, resourceSchemas } from './resource-schemas.ts'

/** The documents that are answered about the resources of a model. */
export interface DocumentSchemas {
  readonly resource: Contents
  readonly list: Contents
  /** One resource, or null. */
  readonly resourceOrNull: Contents
}

export const documentSchemas: (view: ModelView, views: ModelViews) => DocumentSchemas =
  memoizeBy(makeSchemas)

function makeSchemas(view: ModelView, views: ModelViews): DocumentSchemas {
  const name = toPascalCase(view.model.name)
  const { resource } = resourceSchemas(view, views)
  const written = (suffix: string, data: JsonSchema, meta?: JsonSchema) => {
    const schema = component(name + suffix, 'part', () =>
      documentSchema(views, data, includedSchema(view, views), meta),
    )
    return contentsOf(schema)
  }
  return {
    resource: written('Document', resource),
    list: written('ListDocument', { type: 'array', items: resource }, listMeta),
    resourceOrNull: written('OrNullDocument', nullable(resource)),
  }
}

/** @param example of the body, where it is one that is sent and can be told */
export function contentsOf(schema: JsonSchema, example?: () => object | undefined): Contents {
  return () => {
    const value = example?.()
    return { [mediaType]: { schema, ...(value && { example: value }) } }
  }
}

/** A document that holds neither resources nor identifiers. */
export function metaDocument(meta: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { jsonapi: jsonApiObject, meta },
    required: ['jsonapi', 'meta'],
  }
}

/**
 * The document of a relationship: identifiers, and resources that paths which begin with the
 * relation lead to.
 */
export function linkageDocument(
  owner: ModelView,
  relation: RelationField,
  views: ModelViews,
): Contents {
  const meta = relation.kind === 'toOne' ? undefined : listMeta
  return () => ({
    [mediaType]: {
      schema: documentSchema(
        views,
        linkageSchema(relation, views),
        includedSchema(owner, views),
        meta,
      ),
    },
  })
}

function documentSchema(
  views: ModelViews,
  data: JsonSchema,
  resources: JsonSchema,
  meta: JsonSchema | undefined,
): JsonSchema {
  return {
    type: 'object',
    properties: {
      jsonapi: jsonApiObject,
      links: documentLinks(views),
      data,
      included: resources,
      ...(meta && { meta }),
    },
    required: ['jsonapi', 'links', 'data'],
  }
}

function includedSchema(view: ModelView, views: ModelViews): JsonSchema {
  const reachable = includableModels(view, views)
  if (reachable.length === 0) return { type: 'array', items: {}, maxItems: 0 }
  return reachable.length > maxInlineModels
    ? allIncludedSchema(views)
    : resourcesSchema(reachable, views)
}

function resourcesSchema(among: readonly ModelView[], views: ModelViews): JsonSchema {
  return {
    type: 'array',
    items: unionSchema(among.map((one) => resourceSchemas(one, views).resource)),
  }
}

const allIncludedSchema = memoizeBy((views: ModelViews) =>
  component('Included', 'service', () => resourcesSchema(viewsByPlural(views), views)),
)
