import { component, type JsonSchema } from '../schema/json-schema.ts'

/**
 * What an item tells of a binary resource: where it is, its type, size, hash and name; null where
 * there is none.
 */
const linkedResourceSchema = component('BinaryResource', 'service', () => ({
  type: 'object',
  properties: {
    href: { type: 'string', format: 'uri-reference', description: 'Where the bytes are' },
    contentType: { type: 'string', description: 'The media type' },
    size: { type: 'integer', minimum: 0, description: 'In bytes' },
    hash: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: 'SHA-256 of the bytes; in quotes, the ETag',
    },
    fileName: { type: ['string', 'null'], description: 'As the client named it' },
  },
  required: ['href', 'contentType', 'size', 'hash', 'fileName'],
  additionalProperties: false,
}))

/**
 * The schema of a resource field in an item. Clients can send it back as they were given it, which
 * changes nothing.
 */
export function resourceSchema(description: string | undefined): JsonSchema {
  return {
    anyOf: [linkedResourceSchema, { type: 'null' }],
    readOnly: true,
    ...(description !== undefined && { description }),
  }
}

/** Is it the schema of a resource field? */
export function isResourceSchema(schema: JsonSchema): boolean {
  return schema.anyOf?.[0] === linkedResourceSchema
}
