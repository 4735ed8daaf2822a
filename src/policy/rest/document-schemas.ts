import { oncePer } from '../../cache/once-per.ts'
import type { ModelView, Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import type { Contents } from '../../rule/rule.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { exampleItem } from '../example-item.ts'
import { allByPlural, reachableFrom, writtenInPlace } from '../reachable.ts'
import { itemSchemas } from './item-schemas.ts'
import { linesMediaType } from './lines-serializer.ts'

export const mediaType = 'application/json'

/** What stands around items on the wire. */
export interface DocumentSchemas {
  readonly one: Contents
  readonly list: Contents
  /** The list, and its items one on each line. */
  readonly listWithLines: Contents
  taken(purpose: Purpose, mediaTypes: readonly string[]): Contents
}

export function documentSchemas(view: ModelView, views: Views): DocumentSchemas {
  const { name, plural } = view.model
  const schemas = itemSchemas(view, views)
  const one = component(`${pascalOf(name)}Document`, 'part', () => document(view, views, name, schemas.sent, {}))
  const list = component(`${pascalOf(name)}ListDocument`, 'part', () =>
    document(view, views, plural, { type: 'array', items: schemas.sent }, { meta: listMeta }),
  )
  return {
    one: () => ({ [mediaType]: { schema: one } }),
    list: () => ({ [mediaType]: { schema: list } }),
    listWithLines: () => ({
      [mediaType]: { schema: list },
      [linesMediaType]: { schema: lines, itemSchema: schemas.sent },
    }),
    taken: (purpose, mediaTypes) => () => {
      const schema = {
        type: 'object',
        properties: { [name]: schemas.taken[purpose] },
        required: [name],
        additionalProperties: false,
      } as const
      const example = exampleOf(view, purpose)
      const content = { schema, ...(example && { example: { [name]: example } }) }
      return Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, content]))
    },
  }
}

function exampleOf(view: ModelView, purpose: Purpose): object | undefined {
  const item = exampleItem(view, purpose)
  if (!item) return undefined
  const relations = item.relations.map(([{ wire, kind }, ids]) => [wire, kind === 'toOne' ? ids[0] : ids])
  const id = purpose === 'create' && item.id !== undefined ? { id: item.id } : {}
  return { ...id, ...item.values, ...Object.fromEntries(relations) }
}

const lines: JsonSchema = Object.freeze({ type: 'string', description: 'The items as JSON, each on a line of its own' })

const listMeta: JsonSchema = component('ListMeta', 'service', () => ({
  type: 'object',
  description: 'What is said about the list',
  properties: {
    page: {
      type: 'object',
      properties: { total: { type: 'integer', minimum: 0, description: 'Items on all pages, where `withCount` asks' } },
    },
  },
}))

function document(
  view: ModelView,
  views: Views,
  key: string,
  primary: JsonSchema,
  others: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  const reachable = reachableFrom(view, views)
  const isShared = reachable.length > writtenInPlace
  const beside = reachable.includes(view) ? { [`_${view.model.plural}`]: included(view, views) } : {}
  const own = (among: object): JsonSchema => ({
    type: 'object',
    properties: { [key]: primary, ...among, ...beside, ...others },
    required: [key],
  })
  if (isShared) return { allOf: [own({}), allIncluded(views)] }
  return own(
    collections(
      reachable.filter((one) => one !== view),
      views,
    ),
  )
}

function collections(among: readonly ModelView[], views: Views): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(among.map((one) => [one.model.plural, included(one, views)]))
}

function included(view: ModelView, views: Views): JsonSchema {
  return { type: 'array', items: itemSchemas(view, views).sent }
}

const allIncluded = oncePer((views: Views) =>
  component('Included', 'service', () => ({
    type: 'object',
    description: 'The items that `include` asked for, by collection',
    properties: collections(allByPlural(views), views),
  })),
)
