import type { ModelView, Views } from '../../model/model-view.ts'
import { pascalOf } from '../../model/naming.ts'
import type { Limits } from '../../rule/limits.ts'
import { dependsOn } from '../../rule/parameter.ts'
import type { ModelRule } from '../../rule/rule.ts'
import { anyOf } from '../../schema/any-of.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { allByPlural } from '../reachable.ts'
import { jsonApiObject } from './common-schemas.ts'
import { resourceSchemas, typeOf } from './resource-schemas.ts'
import { addedInBatch, naming, namingOfRemoved, relationshipData, updatedInBatch } from './taken-schemas.ts'

// The documents of the Atomic Operations extension.

/** @param rules those that operations may lead to */
export function operationsDocument(rules: readonly ModelRule[], views: Views, limits: Limits): JsonSchema {
  const operations = {
    type: 'array',
    minItems: 1,
    maxItems: limits.operations,
    items: operation(rules, views),
  } as const
  return { type: 'object', properties: { 'atomic:operations': operations }, required: ['atomic:operations'] }
}

export function resultsDocument(views: Views): JsonSchema {
  const data = anyOf(allByPlural(views).map((one) => resourceSchemas(one, views).resource))
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

/** Each rule is a form of operation, and there is one more for all that is named by its address. */
function operation(rules: readonly ModelRule[], views: Views): JsonSchema {
  const owners = allByPlural(views)
  return component('AtomicOperation', 'service', () => ({
    description: 'One operation: on what `ref` or `href` names, or else on what its `data` does',
    anyOf: [
      ...owners.map((owner) =>
        component(`${pascalOf(owner.model.name)}AtomicOperation`, 'part', () =>
          anyOf(
            rules
              .filter((rule) => ownerOf(rule) === owner)
              .map((rule) => formOf(rule, views))
              .filter((form) => form !== undefined),
          ),
        ),
      ),
      byAddress,
    ],
  }))
}

function ownerOf({ through, view }: ModelRule): ModelView {
  return through?.view ?? view
}

/** undefined for what is refused whatever is sent */
function formOf(rule: ModelRule, views: Views): JsonSchema | undefined {
  const { operation, view, through, request } = rule
  switch (operation) {
    case 'CreateItem':
      return form('add', { data: addedInBatch(view, views) }, { ref: sameAsData(view) })
    case 'UpdateItem':
      return form('update', { data: updatedInBatch(view, views) }, { ref: sameAsData(view) })
    case 'DeleteItem':
      return form('remove', { ref: namingOfRemoved(view.model) })
    default:
      if (!through || request.kind !== 'linkage') return undefined
      return form(ops[rule.method], {
        ref: relationshipRef(through.view, through.relation.wire),
        data: relationshipData(through.relation, views, 'local'),
      })
  }
}

const ops = { GET: undefined, POST: 'add', PATCH: 'update', PUT: undefined, DELETE: 'remove' } as const

type Members = Readonly<Record<string, JsonSchema>>

function form(op: string | undefined, needed: Members, possible: Members = {}): JsonSchema {
  return {
    type: 'object',
    properties: { op: { type: 'string', const: op }, ...needed, ...possible, meta },
    required: ['op', ...Object.keys(needed)],
  }
}

function relationshipRef({ model }: ModelView, wire: string): JsonSchema {
  const properties = { relationship: { type: 'string', const: wire } } as const
  return { allOf: [naming(model), { type: 'object', properties, required: ['relationship'] }] }
}

/** Some clients say in a ref, too, what the data says. */
function sameAsData({ model }: ModelView): JsonSchema {
  return {
    type: 'object',
    properties: { type: typeOf(model.plural) },
    required: ['type'],
    propertyNames: { not: { const: 'relationship' } },
    [dependsOn]: 'data',
  }
}

const meta: JsonSchema = component('AtomicOperationMeta', 'service', () => ({
  type: 'object',
  properties: {
    ifMatch: { type: 'string', description: 'What the header `If-Match` would hold', [dependsOn]: 'ref' },
  },
}))

const byAddress: JsonSchema = component('AddressedAtomicOperation', 'service', () => ({
  type: 'object',
  description: 'An operation on what an address of the service leads to',
  properties: {
    op: { type: 'string', enum: ['add', 'update', 'remove'] },
    href: { type: 'string', format: 'uri-reference', description: 'As the service gave it out', [dependsOn]: 'op' },
    data: { description: 'As it would be the `data` of a request of its own' },
    meta,
  },
  required: ['op', 'href'],
}))
