import type { ModelView, ModelViews } from '../../model/model-view.ts'
import { toPascalCase } from '../../model/naming.ts'
import { dependsOnKeyword } from '../../rule/query-parameter.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import { type ModelRule, pathView } from '../../rule/rule.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { unionSchema } from '../../schema/union-schema.ts'
import { viewsByPlural } from '../reachable-models.ts'
import { jsonApiObject } from './common-schemas.ts'
import {
  batchCreateSchema,
  batchUpdateSchema,
  referenceSchema,
  relationshipDataSchema,
  removalReferenceSchema,
} from './request-schemas.ts'
import { resourceSchemas, typeSchema } from './resource-schemas.ts'

// The documents of the Atomic Operations extension.

/** @param rules those that operations may lead to */
export function operationsSchema(
  rules: readonly ModelRule[],
  views: ModelViews,
  limits: RouterLimits,
): JsonSchema {
  const operations = {
    type: 'array',
    minItems: 1,
    maxItems: limits.maxOperations,
    items: operationSchema(rules, views),
  } as const
  return {
    type: 'object',
    properties: { 'atomic:operations': operations },
    required: ['atomic:operations'],
  }
}

export function resultsSchema(views: ModelViews): JsonSchema {
  const data = unionSchema(viewsByPlural(views).map((one) => resourceSchemas(one, views).resource))
  return {
    type: 'object',
    properties: {
      jsonapi: jsonApiObject,
      'atomic:results': {
        type: 'array',
        description:
          'What each operation came to, in their order; empty where there is nothing to say',
        items: { type: 'object', properties: { data } },
      },
    },
    required: ['jsonapi', 'atomic:results'],
  }
}

/** Each rule is a form of operation, and there is one more for all that is named by its address. */
function operationSchema(rules: readonly ModelRule[], views: ModelViews): JsonSchema {
  const owners = viewsByPlural(views)
  return component('AtomicOperation', 'service', () => ({
    description: 'One operation: on what `ref` or `href` names, or else on what its `data` does',
    anyOf: [
      ...owners.map((owner) =>
        component(`${toPascalCase(owner.model.name)}AtomicOperation`, 'part', () =>
          unionSchema(
            rules
              .filter((rule) => pathView(rule) === owner)
              .map((rule) => operationSchemaOf(rule, views))
              .filter((form) => form !== undefined),
          ),
        ),
      ),
      addressedOperationSchema,
    ],
  }))
}

/** undefined for what is refused whatever is sent */
function operationSchemaOf(rule: ModelRule, views: ModelViews): JsonSchema | undefined {
  const { operation, view, target, request } = rule
  switch (operation) {
    case 'CreateItem':
      return createOperationSchema(
        'add',
        { data: batchCreateSchema(view, views) },
        { ref: matchingRefSchema(view) },
      )
    case 'UpdateItem':
      return createOperationSchema(
        'update',
        { data: batchUpdateSchema(view, views) },
        { ref: matchingRefSchema(view) },
      )
    case 'DeleteItem':
      return createOperationSchema('remove', { ref: removalReferenceSchema(view.model) })
    default:
      if (target.kind !== 'linkage' || request.kind !== 'linkage') return undefined
      return createOperationSchema(opsByMethod[rule.method], {
        ref: relationshipRef(target.owner, target.relation.wireName),
        data: relationshipDataSchema(target.relation, views, 'local'),
      })
  }
}

const opsByMethod = {
  GET: undefined,
  POST: 'add',
  PATCH: 'update',
  PUT: undefined,
  DELETE: 'remove',
} as const

type Members = Readonly<Record<string, JsonSchema>>

function createOperationSchema(
  op: string | undefined,
  needed: Members,
  possible: Members = {},
): JsonSchema {
  return {
    type: 'object',
    properties: {
      op: { type: 'string', const: op },
      ...needed,
      ...possible,
      meta: operationMetaSchema,
    },
    required: ['op', ...Object.keys(needed)],
  }
}

function relationshipRef({ model }: ModelView, wire: string): JsonSchema {
  const properties = { relationship: { type: 'string', const: wire } } as const
  return {
    allOf: [referenceSchema(model), { type: 'object', properties, required: ['relationship'] }],
  }
}

/** Some clients say in a ref, too, what the data says. */
function matchingRefSchema({ model }: ModelView): JsonSchema {
  return {
    type: 'object',
    properties: { type: typeSchema(model.plural) },
    required: ['type'],
    propertyNames: { not: { const: 'relationship' } },
    [dependsOnKeyword]: 'data',
  }
}

const operationMetaSchema: JsonSchema = component('AtomicOperationMeta', 'service', () => ({
  type: 'object',
  properties: {
    ifMatch: {
      type: 'string',
      description: 'What the header `If-Match` would hold',
      [dependsOnKeyword]: 'ref',
    },
  },
}))

const addressedOperationSchema: JsonSchema = component(
  'AddressedAtomicOperation',
  'service',
  () => ({
    type: 'object',
    description: 'An operation on what an address of the service leads to',
    properties: {
      op: { type: 'string', enum: ['add', 'update', 'remove'] },
      href: {
        type: 'string',
        format: 'uri-reference',
        description: 'As the service gave it out',
        [dependsOnKeyword]: 'op',
      },
      data: { description: 'As it would be the `data` of a request of its own' },
      meta: operationMetaSchema,
    },
    required: ['op', 'href'],
  }),
)
