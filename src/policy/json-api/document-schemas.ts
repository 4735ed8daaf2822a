import { oncePer } from '../../cache/once-per.ts'
import type { RelationField } from '../../model/description.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import type { Contents } from '../../rule/rule.ts'
import { anyOf } from '../../schema/any-of.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import { allByPlural, reachableFrom, writtenInPlace } from '../reachable.ts'
import { documentLinks, jsonApiObject, listMeta } from './common-schemas.ts'
import { mediaType } from './media.ts'
import { linkage, resourceSchemas } from './resource-schemas.ts'

/** The documents that are answered about the resources of a model. */
export interface DocumentSchemas {
  readonly one: Contents
  readonly list: Contents
  /** One resource, or null. */
  readonly oneOrNull: Contents
}

export const documentSchemas: (view: ModelView, views: Views) => DocumentSchemas = oncePer(makeSchemas)

function makeSchemas(view: ModelView, views: Views): DocumentSchemas {
  const name = pascalOf(view.model.name)
  const { resource } = resourceSchemas(view, views)
  const written = (suffix: string, data: JsonSchema, meta?: JsonSchema) => {
    const schema = component(name + suffix, 'part', () => document(views, data, included(view, views), meta))
    return contentsOf(schema)
  }
  return {
    one: written('Document', resource),
    list: written('ListDocument', { type: 'array', items: resource }, listMeta),
    oneOrNull: written('OrNullDocument', nullable(resource)),
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
  return { type: 'object', properties: { jsonapi: jsonApiObject, meta }, required: ['jsonapi', 'meta'] }
}

/** The document of a relationship: identifiers, and resources that paths which begin with the relation lead to. */
export function linkageDocument(owner: ModelView, relation: RelationField, views: Views): Contents {
  const meta = relation.kind === 'toOne' ? undefined : listMeta
  return () => ({ [mediaType]: { schema: document(views, linkage(relation, views), included(owner, views), meta) } })
}

function document(views: Views, data: JsonSchema, resources: JsonSchema, meta: JsonSchema | undefined): JsonSchema {
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

function included(view: ModelView, views: Views): JsonSchema {
  const reachable = reachableFrom(view, views)
  if (reachable.length === 0) return { type: 'array', items: {}, maxItems: 0 }
  return reachable.length > writtenInPlace ? allIncluded(views) : resources(reachable, views)
}

function resources(among: readonly ModelView[], views: Views): JsonSchema {
  return { type: 'array', items: anyOf(among.map((one) => resourceSchemas(one, views).resource)) }
}

const allIncluded = oncePer((views: Views) =>
  component('Included', 'service', () => resources(allByPlural(views), views)),
)
