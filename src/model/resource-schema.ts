import { component, type JsonSchema } from '../schema/json-schema.ts'

/** The metadata of a binary resource in an item. */
const linkedResourceSchema = component('BinaryResource', 'service', () => ({
  type: 'object',
  properties: {
    href: { type: 'string', format: 'uri-reference', description: 'The URL of the bytes' },
    contentType: { type: 'string', description: 'The media type' },
    size: { type: 'integer', minimum: 0, description: 'The size in bytes' },
    hash: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description: 'The SHA-256 of the bytes; in double quotes it is the ETag',
    },
    fileName: { type: ['string', 'null'], description: 'The file name that the client sent' },
  },
  required: ['href', 'contentType', 'size', 'hash', 'fileName'],
  additionalProperties: false,
}))

/** The schema of a resource field in an item. Clients can send it back; that changes nothing. */
export function resourceSchema(description: string | undefined): JsonSchema {
  return {
    anyOf: [linkedResourceSchema, { type: 'null' }],
    readOnly: true,
    ...(description !== undefined && { description }),
  }
}

export function isResourceSchema(schema: JsonSchema): boolean {
  return schema.anyOf?.[0] === linkedResourceSchema
}
