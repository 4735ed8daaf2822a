import { memoizeBy } from '../../cache/memoize-by.ts'
import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { isDecimal, type ScalarType } from '../../model/value-type.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import type { RouterLimits } from '../router-limits.ts'
import { type ValueFunction, valueFunctions } from './aggregate-functions.ts'
import { type DeclaredPath, declaredPaths } from './declared-paths.ts'
import { listedGroupKeys } from './group-keys.ts'

/** A function that documents name, with its result. */
interface ListedAggregate {
  /** As clients write it: `sum(price)`. */
  readonly name: string
  readonly schema: JsonSchema
}

const count: JsonSchema = Object.freeze({ type: 'integer', minimum: 0 })

/** The functions of the declared members that a request within the limits can name. */
export function listedAggregates(
  views: ModelViews,
  view: ModelView,
  { maxRelationDepth }: Pick<RouterLimits, 'maxRelationDepth'>,
): readonly string[] {
  const paths = declaredPaths(views, view).filter(
    ({ relationCount }) => relationCount <= maxRelationDepth,
  )
  return aggregatesOf(paths).map(({ name }) => name)
}

function aggregatesOf(paths: readonly DeclaredPath[]): readonly ListedAggregate[] {
  const names = Object.keys(valueFunctions) as ValueFunction[]
  return [
    { name: 'count', schema: count },
    ...paths.flatMap(({ name: member, path }) =>
      names
        .filter((name) => valueFunctions[name].takes(path))
        .map((name) => ({ name: `${name}(${member})`, schema: resultSchema(name, path.type) })),
    ),
  ]
}

/** What `meta` of a list has for the parameters; empty where its model declares nothing. */
export function summaryProperties(
  views: ModelViews,
  view: ModelView,
): Readonly<Record<string, JsonSchema>> {
  if (view.model.aggregated.size === 0) return {}
  const name = toPascalCase(view.model.name)
  const paths = declaredPaths(views, view)
  return {
    aggregates: aggregatesSchema(views)(view),
    facets: component(`${name}Facets`, 'part', () => ({
      type: 'object',
      description:
        'The most frequent values of members of the items on all pages, if the request has `withFacets`',
      properties: Object.fromEntries(
        paths.map(({ name: member, path }) => [member, facetSchema(path.type)]),
      ),
      additionalProperties: true,
    })),
  }
}

/** One schema for lists and for groups. */
const aggregatesSchema = memoizeBy((views: ModelViews) =>
  memoizeBy((view: ModelView) =>
    component(`${toPascalCase(view.model.name)}Aggregates`, 'part', () => ({
      type: 'object',
      description:
        'What the items of all pages, or of a group, add up to: the results of the functions in `withAggregates`',
      properties: Object.fromEntries(
        aggregatesOf(declaredPaths(views, view)).map((each) => [each.name, each.schema]),
      ),
      // Fields of related items. TypeScript has no type for the rest of optional members.
      additionalProperties: true,
    })),
  ),
)

/** A group of items, as responses have it. */
export function groupSchema(
  views: ModelViews,
  view: ModelView,
  limits: Pick<RouterLimits, 'maxRelationDepth'>,
): JsonSchema {
  return component(`${toPascalCase(view.model.name)}Group`, 'part', () => ({
    type: 'object',
    properties: {
      by: {
        type: 'object',
        description: 'The values of the members in `groupBy`; `null` stands for no value',
        properties: Object.fromEntries(
          listedGroupKeys(views, view, limits).map(({ name, type }) => [
            name,
            nullable(valueSchema(type)),
          ]),
        ),
        additionalProperties: true,
      },
      aggregates: aggregatesSchema(views)(view),
    },
    required: ['by', 'aggregates'],
  }))
}

function facetSchema(type: ScalarType): JsonSchema {
  return valueCounts(nullable(valueSchema(type)))
}

function valueCounts(value: JsonSchema): JsonSchema {
  return {
    type: 'array',
    description: 'The most frequent values first; `null` stands for no value',
    items: {
      type: 'object',
      properties: { value, count: { type: 'integer', minimum: 1 } },
      required: ['value', 'count'],
    },
  }
}

function resultSchema(name: ValueFunction, type: ScalarType): JsonSchema {
  switch (name) {
    case 'countDistinct':
      return count
    case 'sum':
      return isDecimal(type) ? { type: 'string' } : numberOrText
    case 'avg':
      return nullable(isDecimal(type) ? { type: 'string' } : { type: 'number' })
    default:
      return nullable(valueSchema(type))
  }
}

/** A number that JSON does not hold exactly is a text. */
const numberOrText: JsonSchema = { anyOf: [{ type: 'number' }, { type: 'string' }] }

function valueSchema(type: ScalarType): JsonSchema {
  switch (type.kind) {
    case 'integer':
    case 'number':
      return numberOrText
    case 'boolean':
      return { type: 'boolean' }
    case 'text':
      return type.format === 'date' || type.format === 'date-time'
        ? { type: 'string', format: type.format }
        : { type: 'string' }
  }
}
