import type { RelationField } from '../../model/model-description.ts'
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

// Documents of the Atomic Operations extension.

/** @param rules the rules that operations can use */
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
  const data = unionSchema(
    viewsByPlural(views).map((view) => resourceSchemas(view, views).resource),
  )
  return {
    type: 'object',
    properties: {
      jsonapi: jsonApiObject,
      'atomic:results': {
        type: 'array',
        description:
          'The result of each operation, in order; an empty object for an operation without a result',
        items: { type: 'object', properties: { data } },
      },
    },
    required: ['jsonapi', 'atomic:results'],
  }
}

/** The forms of each model, and one for all operations with `href`. */
function operationSchema(rules: readonly ModelRule[], views: ModelViews): JsonSchema {
  return component('AtomicOperation', 'service', () => ({
    description: 'One operation; `ref` or `href` names its target, or else its `data`',
    anyOf: [
      ...viewsByPlural(views)
        .filter((owner) => operationSchemasOf(owner, rules, views).length > 0)
        .map((owner) =>
          component(`${toPascalCase(owner.model.name)}AtomicOperation`, 'part', () =>
            unionSchema(operationSchemasOf(owner, rules, views)),
          ),
        ),
      addressedOperationSchema,
    ],
  }))
}

/** None for a model that clients only read. */
function operationSchemasOf(
  owner: ModelView,
  rules: readonly ModelRule[],
  views: ModelViews,
): readonly JsonSchema[] {
  const own = rules.filter((rule) => pathView(rule) === owner)
  return [
    ...own.map((rule) => resourceOperationSchema(rule, views)),
    ...linkageOperationSchemas(owner, own, views),
  ].filter((form) => form !== undefined)
}

/** Undefined for rules that do not write a resource. */
function resourceOperationSchema(
  { operation, view }: ModelRule,
  views: ModelViews,
): JsonSchema | undefined {
  switch (operation) {
    case 'CreateItem':
      return createOperationSchema(
        ['add'],
        { data: batchCreateSchema(view, views) },
        { ref: matchingRefSchema(view) },
      )
    case 'UpdateItem':
      return createOperationSchema(
        ['update'],
        { data: batchUpdateSchema(view, views) },
        { ref: matchingRefSchema(view) },
      )
    case 'DeleteItem':
      return createOperationSchema(['remove'], { ref: removalReferenceSchema(view.model) })
    default:
      return undefined
  }
}

/** One schema for each relation, because its operations have the same members. */
function linkageOperationSchemas(
  owner: ModelView,
  rules: readonly ModelRule[],
  views: ModelViews,
): readonly JsonSchema[] {
  const opsByRelation = new Map<RelationField, readonly string[]>()
  for (const { method, target, request } of rules) {
    const op = opsByMethod[method]
    if (target.kind !== 'linkage' || request.kind !== 'linkage' || op === undefined) continue
    opsByRelation.set(target.relation, [...(opsByRelation.get(target.relation) ?? []), op])
  }
  return [...opsByRelation].map(([relation, ops]) =>
    createOperationSchema(ops, {
      ref: relationshipRef(owner, relation.wireName),
      data: relationshipDataSchema(relation, views, 'local'),
    }),
  )
}

const opsByMethod = {
  GET: undefined,
  QUERY: undefined,
  POST: 'add',
  PATCH: 'update',
  PUT: undefined,
  DELETE: 'remove',
} as const

type Members = Readonly<Record<string, JsonSchema>>

function createOperationSchema(
  [op, ...otherOps]: readonly string[],
  required: Members,
  optional: Members = {},
): JsonSchema {
  return {
    type: 'object',
    properties: {
      op: {
        type: 'string',
        ...(otherOps.length > 0 ? { enum: [op, ...otherOps] } : { const: op }),
      },
      ...required,
      ...optional,
      meta: operationMetaSchema,
    },
    required: ['op', ...Object.keys(required)],
  }
}

function relationshipRef({ model }: ModelView, wire: string): JsonSchema {
  const properties = { relationship: { type: 'string', const: wire } } as const
  return {
    allOf: [referenceSchema(model), { type: 'object', properties, required: ['relationship'] }],
  }
}

/** Some clients repeat the type and id of `data` in a `ref`. */
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
      description: 'The value of the header `If-Match` of a single request',
      [dependsOnKeyword]: 'ref',
    },
  },
}))

const addressedOperationSchema: JsonSchema = component(
  'AddressedAtomicOperation',
  'service',
  () => ({
    type: 'object',
    description: 'An operation whose target is a URL of the service',
    properties: {
      op: { type: 'string', enum: ['add', 'update', 'remove'] },
      href: {
        type: 'string',
        format: 'uri-reference',
        description: 'A URL from a response of the service',
        [dependsOnKeyword]: 'op',
      },
      data: { description: 'The `data` of the same request outside of a batch' },
      meta: operationMetaSchema,
    },
    required: ['op', 'href'],
  }),
)
