import { memoizeBy } from '../../cache/memoize-by.ts'
import type { RelationField } from '../../model/model-description.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { Contents } from '../../rule/contents.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import { unionSchema } from '../../schema/union-schema.ts'
import { itemMetaSchema } from '../capabilities-schema.ts'
import { createContents } from '../create-contents.ts'
import { groupsProperties } from '../groups-format.ts'
import { includableModels, maxInlineModels, viewsByPlural } from '../reachable-models.ts'
import { documentLinks, jsonApiObject, listMeta, listMetaOf } from './common-schemas.ts'
import { mediaType } from './media-types.ts'
import { linkageSchema, resourceSchemas } from './resource-schemas.ts'

/** The documents of responses with resources of one model. */
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
  const contents = (suffix: string, data: JsonSchema, meta?: JsonSchema) => {
    const schema = component(name + suffix, 'part', () =>
      documentSchema(views, data, includedSchema(view, views), meta),
    )
    return contentsOf(schema)
  }
  const data: JsonSchema = { type: 'array', items: resource }
  return {
    resource: contents('Document', resource, itemMetaSchema(view)),
    list: contents('ListDocument', data, listMetaOf(view, views)),
    resourceOrNull: contents('OrNullDocument', nullable(resource), itemMetaSchema(view)),
  }
}

/** @param example makes an example of a request body; undefined if there is none */
export function contentsOf(schema: JsonSchema, example?: () => object | undefined): Contents {
  return createContents([mediaType], schema, example)
}

/** A document without resources and identifiers. */
export function metaDocument(meta: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { jsonapi: jsonApiObject, meta },
    required: ['jsonapi', 'meta'],
  }
}

/** Groups are no resources, so their document has `meta` and links alone. */
export function groupsDocument(
  view: ModelView,
  views: ModelViews,
  limits: RouterLimits,
): JsonSchema {
  return component(`${toPascalCase(view.model.name)}GroupsDocument`, 'part', () => {
    const { groups, page } = groupsProperties(views, view, limits)
    return {
      type: 'object',
      properties: {
        jsonapi: jsonApiObject,
        links: documentLinks(views),
        meta: { type: 'object', properties: { page, groups }, required: ['groups'] },
      },
      required: ['jsonapi', 'links', 'meta'],
    }
  })
}

/** The document of a relationship: identifiers, and included resources. */
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
        linkageSchema(owner, relation, views),
        includedSchema(owner, views),
        meta,
      ),
    },
  })
}

function documentSchema(
  views: ModelViews,
  data: JsonSchema,
  included: JsonSchema,
  meta: JsonSchema | undefined,
): JsonSchema {
  return {
    type: 'object',
    properties: {
      jsonapi: jsonApiObject,
      links: documentLinks(views),
      data,
      included,
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

function resourcesSchema(included: readonly ModelView[], views: ModelViews): JsonSchema {
  return {
    type: 'array',
    items: unionSchema(included.map((view) => resourceSchemas(view, views).resource)),
  }
}

const allIncludedSchema = memoizeBy((views: ModelViews) =>
  component('Included', 'service', () => resourcesSchema(viewsByPlural(views), views)),
)
