import type { JsonSchema } from '../schema/json-schema.ts'

const time: JsonSchema = { type: ['string', 'null'], format: 'date-time' }
const caller: JsonSchema = {
  type: ['string', 'null'],
  description: 'The id of the caller; null for the service',
}

/** An item as it was. Its values need not fit the schema of today, so it has none. */
const item: JsonSchema = {
  type: 'object',
  description:
    'The item as it was, with the members that the caller sees today; its id only, where the service cannot represent it any more',
}

/** A former version of an item. */
export const versionSchema: JsonSchema = {
  type: 'object',
  properties: {
    number: { type: 'integer', minimum: 1 },
    time: { ...time, description: 'When it was written; null if that is not known' },
    caller,
    item,
  },
  required: ['number', 'time', 'caller', 'item'],
}

/** A deleted item. */
export const trashedSchema: JsonSchema = {
  type: 'object',
  properties: {
    time: { ...time, type: 'string', description: 'When it was deleted' },
    caller,
    item,
  },
  required: ['time', 'caller', 'item'],
}

const next: JsonSchema = {
  type: ['string', 'null'],
  description: 'The address of the next page; null on the last one',
}

export const versionsSchema: JsonSchema = pageSchema('versions', versionSchema)

export const trashSchema: JsonSchema = pageSchema('trash', trashedSchema)

function pageSchema(name: string, items: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { [name]: { type: 'array', items }, next },
    required: [name, 'next'],
  }
}
