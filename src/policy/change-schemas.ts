import { memoizeBy } from '../cache/memoize-by.ts'
import type { ModelView } from '../model/model-view.ts'
import { toPascalCase } from '../model/naming.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'
import { unionSchema } from '../schema/union-schema.ts'

const kindSchema: JsonSchema = {
  type: 'string',
  enum: ['create', 'update', 'delete', 'reset'],
  description:
    'An item is in the list now, has changed, or is in it no longer. `reset`: read the list again.',
}

/** The schemas of one change. */
export interface ChangeSchemas {
  /** In a page. `delete` has no item, and `reset` nothing but its kind. */
  readonly change: JsonSchema
  /** In a stream, as OpenAPI 3.2 describes it (§4.14.1.4). */
  readonly event: JsonSchema
}

/** One set for each view, so that a document writes each of them once. */
export const changeSchemas: (view: ModelView, item: JsonSchema) => ChangeSchemas =
  memoizeBy(makeSchemas)

function makeSchemas({ model }: ModelView, item: JsonSchema): ChangeSchemas {
  const name = toPascalCase(model.name)
  const members = {
    type: { type: 'string', const: model.plural },
    id: { type: 'string' },
    item,
  } as const
  return {
    change: component(`${name}Change`, 'part', () => ({
      type: 'object',
      properties: { kind: kindSchema, ...members },
      required: ['kind'],
    })),
    event: component(`${name}Event`, 'part', () => ({
      type: 'object',
      properties: {
        event: kindSchema,
        id: { type: 'string' },
        data: {
          type: 'string',
          contentMediaType: 'application/json',
          contentSchema: { type: 'object', properties: members },
        },
        retry: { type: 'integer', minimum: 0 },
      },
    })),
  }
}

/** @param changes of one model, or of several */
export function pageSchema(changes: readonly JsonSchema[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      changes: { type: 'array', items: unionSchema(changes) },
      next: { type: 'string', description: 'The position after these changes, for `since`' },
      isEnd: { type: 'boolean', description: 'Are these all changes so far?' },
      isTransactionSplit: {
        type: 'boolean',
        description: 'True if the next page begins with changes of the same transaction',
      },
    },
    required: ['changes', 'next', 'isEnd'],
  }
}

/** The whole stream, for versions of OpenAPI that describe no events. */
export const streamSchema: JsonSchema = Object.freeze({
  type: 'string',
  description:
    'Server-sent events: `create`, `update`, `delete` and `reset`, each with JSON as `data`. The id of an event is the position after it; only the last event of a transaction has one.',
})
