import type { Views } from '../../model/model-view.ts'
import type { Limits } from '../../rule/limits.ts'
import { dependsOn } from '../../rule/parameter.ts'
import { anyOf } from '../../schema/any-of.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { byPlural } from '../reachable.ts'
import { jsonApiObject } from './common-schemas.ts'
import { resourceSchemas } from './resource-schemas.ts'

// The documents of the Atomic Operations extension.

export function operationsDocument(views: Views, limits: Limits): JsonSchema {
  const operations = { type: 'array', minItems: 1, maxItems: limits.operations, items: operation(views) } as const
  return {
    type: 'object',
    properties: { 'atomic:operations': operations },
    required: ['atomic:operations'],
    // What an operation needs depends on what it is about, which this schema does not tell apart.
    [dependsOn]: 'atomic:operations',
  }
}

export function resultsDocument(views: Views): JsonSchema {
  const data = anyOf([...views.all].sort(byPlural).map((one) => resourceSchemas(one, views).resource))
  return {
    type: 'object',
    properties: {
      jsonapi: jsonApiObject,
      'atomic:results': {
        type: 'array',
        description: 'What each operation came to, in their order; empty where there is nothing to say',
        items: { type: 'object', properties: { data } },
      },
    },
    required: ['jsonapi', 'atomic:results'],
  }
}

function operation(views: Views): JsonSchema {
  const types = views.all.map(({ model }) => model.plural).sort()
  const text: JsonSchema = { type: 'string' }
  return component('AtomicOperation', 'service', () => ({
    type: 'object',
    description: 'One operation: on what `ref` or `href` names, or else on what its `data` does',
    properties: {
      op: { type: 'string', enum: ['add', 'update', 'remove'] },
      ref: {
        type: 'object',
        description: 'A resource, or one of its relationships; by its lid where an operation before adds it',
        properties: { type: { type: 'string', enum: types }, id: text, lid: text, relationship: text },
        required: ['type'],
      },
      href: { type: 'string', format: 'uri-reference', description: 'An address that the service gave out' },
      data: { description: 'As it would be the `data` of a request of its own' },
      meta: {
        type: 'object',
        properties: { ifMatch: { type: 'string', description: 'What the header `If-Match` would hold' } },
      },
    },
    required: ['op'],
  }))
}
