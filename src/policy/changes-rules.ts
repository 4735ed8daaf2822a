import type { ModelView } from '../model/model-view.ts'
import { toPascalCase } from '../model/naming.ts'
import type { Contents } from '../rule/contents.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { NoRequest } from '../rule/request-shape.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { PolicyRule } from '../rule/rule.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'
import { eventStreamMediaType, eventStreamSerializer } from '../serializer/event-stream.ts'
import { createRuleMaker } from './rule-maker.ts'

/** How a protocol forms what changed in a list. */
export interface ChangesFormat {
  /** The schema of an item in a change. */
  readonly item: JsonSchema
  /** The document of a page. */
  pageContents(page: JsonSchema): Contents
  readonly parameters: readonly QueryParameter[]
}

const noRequest: NoRequest = { kind: 'none' }

/** What changed in the list of a model, where clients can follow it: in pages, or as events. */
export function changesRules(
  view: ModelView,
  changes: ChangesFormat | undefined,
  { serializer, parameters }: Pick<ResponseShape, 'serializer' | 'parameters'>,
): readonly PolicyRule[] {
  if (!view.hasChangeFeed || !changes) return []
  const change = changeSchema(view, changes.item)
  const pageContents = changes.pageContents(pageSchema(view, change))
  const response: ResponseShape = {
    status: 200,
    parameters,
    serializer,
    content: 'changes',
    contents: () => ({
      ...pageContents(),
      [eventStreamMediaType]: { schema: streamSchema, itemSchema: eventSchema(view, changes.item) },
    }),
    headers: { 'cache-control': 'always', 'x-accel-buffering': 'sometimes' },
    description: 'What changed, in the order of the changes',
    alternative: { serializer: eventStreamSerializer(serializer) },
  }
  const rule = createRuleMaker({ view }, { changes: changes.parameters })
  const path = `/${view.model.plural}/changes`
  return [rule('GetChanges', { kind: 'changes' }, 'GET', path, noRequest, response)]
}

const kindSchema: JsonSchema = {
  type: 'string',
  enum: ['create', 'update', 'delete', 'reset'],
  description:
    'An item is in the list now, has changed, or is in it no longer. `reset`: read the list again.',
}

function changeMembers(view: ModelView, item: JsonSchema): Readonly<Record<string, JsonSchema>> {
  return {
    type: { type: 'string', const: view.model.plural },
    id: { type: 'string' },
    item,
  }
}

/** `delete` has no item, and `reset` nothing but its kind. */
function changeSchema(view: ModelView, item: JsonSchema): JsonSchema {
  return component(`${toPascalCase(view.model.name)}Change`, 'part', () => ({
    type: 'object',
    properties: { kind: kindSchema, ...changeMembers(view, item) },
    required: ['kind'],
  }))
}

function pageSchema(view: ModelView, change: JsonSchema): JsonSchema {
  return component(`${toPascalCase(view.model.name)}Changes`, 'part', () => ({
    type: 'object',
    properties: {
      changes: { type: 'array', items: change },
      next: { type: 'string', description: 'The position after these changes, for `since`' },
      isEnd: { type: 'boolean', description: 'Are these all changes so far?' },
      isTransactionSplit: {
        type: 'boolean',
        description: 'True if the next page begins with changes of the same transaction',
      },
    },
    required: ['changes', 'next', 'isEnd'],
  }))
}

const streamSchema: JsonSchema = Object.freeze({
  type: 'string',
  description:
    'Server-sent events: `create`, `update`, `delete` and `reset`, each with JSON as `data`. The id of an event is the position after it; only the last event of a transaction has one.',
})

/** One event, as OpenAPI 3.2 describes it (§4.14.1.4). */
function eventSchema(view: ModelView, item: JsonSchema): JsonSchema {
  return component(`${toPascalCase(view.model.name)}Event`, 'part', () => ({
    type: 'object',
    properties: {
      event: kindSchema,
      id: { type: 'string' },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: { type: 'object', properties: changeMembers(view, item) },
      },
      retry: { type: 'integer', minimum: 0 },
    },
  }))
}
