import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import type { Contents } from '../../rule/contents.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { itemMetaSchema } from '../capabilities-schema.ts'
import { createContents } from '../create-contents.ts'
import { exampleFlatItem } from '../example-flat-item.ts'
import { flatItemSchemas } from '../flat-item-schemas.ts'
import { groupsProperties } from '../groups-format.ts'
import { listMetaSchema, listMetaSchemas } from '../list-meta-schema.ts'
import { pageParametersSchema } from '../page-parameters-schema.ts'
import { includableModels, maxInlineModels, viewsByPlural } from '../reachable-models.ts'

export const mediaType = 'application/json'

/** The documents that hold items. */
export interface DocumentSchemas {
  readonly item: Contents
  readonly list: Contents
  groups(limits: RouterLimits): Contents
  request(purpose: Purpose, mediaTypes: readonly string[]): Contents
}

export function documentSchemas(view: ModelView, views: ModelViews): DocumentSchemas {
  const { name, plural } = view.model
  const schemas = flatItemSchemas(view, views)
  const meta = itemMetaSchema(view)
  const itemMeta: Readonly<Record<string, JsonSchema>> = meta ? { meta } : {}
  const item = component(`${toPascalCase(name)}Document`, 'part', () =>
    documentSchema(view, views, name, schemas.response, itemMeta),
  )
  const list = component(`${toPascalCase(name)}ListDocument`, 'part', () =>
    documentSchema(
      view,
      views,
      plural,
      { type: 'array', items: schemas.response },
      { meta: listMetaOf(view, views) },
    ),
  )
  return {
    item: () => ({ [mediaType]: { schema: item } }),
    list: () => ({ [mediaType]: { schema: list } }),
    groups: (limits) => createContents([mediaType], groupsSchema(view, views, limits)),
    request: (purpose, mediaTypes) =>
      createContents(
        mediaTypes,
        {
          type: 'object',
          // A client may send back what it received.
          properties: { [name]: schemas.request[purpose], ...(meta && { meta: {} }) },
          required: [name],
          additionalProperties: false,
        },
        () => {
          const example = exampleFlatItem(view, purpose)
          return example && { [name]: example }
        },
      ),
  }
}

function groupsSchema(view: ModelView, views: ModelViews, limits: RouterLimits): JsonSchema {
  return component(`${toPascalCase(view.model.name)}GroupsDocument`, 'part', () => {
    const { groups, page } = groupsProperties(views, view, limits)
    return {
      type: 'object',
      properties: { groups, meta: { type: 'object', properties: { page } } },
      required: ['groups'],
    }
  })
}

const pageMeta: JsonSchema = {
  type: 'object',
  properties: {
    total: {
      type: 'integer',
      minimum: 0,
      description: 'Number of items on all pages, if the request has `withCount`',
    },
    parameters: pageParametersSchema,
  },
}

const listMetaOf = listMetaSchemas(pageMeta, listMetaSchema(pageMeta))

function documentSchema(
  view: ModelView,
  views: ModelViews,
  key: string,
  primary: JsonSchema,
  others: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const reachable = includableModels(view, views)
  const isShared = reachable.length > maxInlineModels
  const sameModel = reachable.includes(view)
    ? { [`_${view.model.plural}`]: includedSchema(view, views) }
    : {}
  const own = (included: object): JsonSchema => ({
    type: 'object',
    properties: { [key]: primary, ...included, ...sameModel, ...others },
    required: [key],
  })
  if (isShared) return { allOf: [own({}), allIncludedSchema(views)] }
  return own(
    collectionSchemas(
      reachable.filter((other) => other !== view),
      views,
    ),
  )
}

function collectionSchemas(
  included: readonly ModelView[],
  views: ModelViews,
): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    included.map((view) => [view.model.plural, includedSchema(view, views)]),
  )
}

function includedSchema(view: ModelView, views: ModelViews): JsonSchema {
  return { type: 'array', items: flatItemSchemas(view, views).response }
}

const allIncludedSchema = memoizeBy((views: ModelViews) =>
  component('Included', 'service', () => ({
    type: 'object',
    description: 'The included items, by collection',
    properties: collectionSchemas(viewsByPlural(views), views),
  })),
)
