import type { ModelViews } from '../../model/model-view.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'

// The parts of documents that are the same whatever a document is about (JSON:API 1.1, document
// structure).

const addressSchema: JsonSchema = { type: 'string', format: 'uri-reference' }
const pageLinkSchema: JsonSchema = { type: ['string', 'null'], format: 'uri-reference' }

export const jsonApiObject: JsonSchema = component('JsonApi', 'service', () => ({
  type: 'object',
  description: 'The version of JSON:API, and the profiles and extensions that the document follows',
  properties: {
    version: { type: 'string', const: '1.1' },
    profile: { type: 'array', items: { type: 'string', format: 'uri' } },
    ext: { type: 'array', items: { type: 'string', format: 'uri' } },
  },
  required: ['version'],
}))

/**
 * The top-level links of a document, among them one to the OpenAPI document where that is served.
 */
export function documentLinks({ documentPath }: ModelViews): JsonSchema {
  return documentPath === undefined ? plainDocumentLinks : describedDocumentLinks
}

const documentLinksSchema: JsonSchema = {
  type: 'object',
  description:
    'The address of the document, and of the pages around it; null where there is no such page',
  properties: {
    self: {
      anyOf: [
        addressSchema,
        {
          type: 'object',
          properties: { href: addressSchema, type: { type: 'string' } },
          required: ['href'],
        },
      ],
    },
    related: addressSchema,
    first: pageLinkSchema,
    prev: pageLinkSchema,
    next: pageLinkSchema,
    last: pageLinkSchema,
  },
  required: ['self'],
}

const plainDocumentLinks: JsonSchema = component(
  'DocumentLinks',
  'service',
  () => documentLinksSchema,
)

const describedDocumentLinks: JsonSchema = component('DocumentLinks', 'service', () => {
  const { properties, required = [], ...others } = documentLinksSchema
  const describedby = { ...addressSchema, description: 'The OpenAPI document of the service' }
  return {
    ...others,
    properties: { ...properties, describedby },
    required: [...required, 'describedby'],
  }
})

/**
 * The links of a resource, among them those to its binary resources, which are null where it has
 * none.
 */
export function resourceLinks(binaries: readonly string[], extent: 'whole' | 'part'): JsonSchema {
  if (binaries.length === 0) return selfLinks
  return {
    type: 'object',
    properties: {
      self: addressSchema,
      ...Object.fromEntries(binaries.map((name) => [name, nullable(binaryLink)])),
    },
    required: extent === 'whole' ? ['self', ...binaries] : ['self'],
  }
}

const selfLinks: JsonSchema = component('ResourceLinks', 'service', () => ({
  type: 'object',
  properties: { self: addressSchema },
  required: ['self'],
}))

const binaryLink: JsonSchema = component('BinaryLink', 'service', () => ({
  type: 'object',
  description: 'Where a binary resource is, and what it is',
  properties: {
    href: addressSchema,
    type: { type: 'string', description: 'The media type' },
    meta: {
      type: 'object',
      properties: {
        contentType: { type: 'string' },
        size: { type: 'integer', minimum: 0, description: 'In bytes' },
        hash: { type: 'string', description: 'SHA-256 of the bytes; in quotes, the ETag' },
        fileName: { type: ['string', 'null'], description: 'As the client named it' },
      },
      required: ['contentType', 'size', 'hash', 'fileName'],
    },
  },
  required: ['href', 'type', 'meta'],
}))

export const relationshipLinks: JsonSchema = component('RelationshipLinks', 'service', () => ({
  type: 'object',
  description:
    'The address of the relationship and of what it relates to, and where a page of it is told, of the next one',
  properties: {
    self: addressSchema,
    related: addressSchema,
    first: pageLinkSchema,
    prev: pageLinkSchema,
    next: pageLinkSchema,
  },
  required: ['self', 'related'],
}))

/** What is said of a resource or an identifier beside what it is. */
export const resourceMeta: JsonSchema = component('ResourceMeta', 'service', () => ({
  type: 'object',
  properties: {
    version: {
      type: 'string',
      description: 'Changes with every change of the resource; its ETag is made of it',
    },
    page: {
      type: 'object',
      properties: {
        cursor: { type: 'string', description: 'The place of the resource in the list' },
      },
      required: ['cursor'],
    },
  },
}))

export const listMeta: JsonSchema = component('ListMeta', 'service', () => ({
  type: 'object',
  description: 'What is said about the list',
  properties: {
    page: {
      type: 'object',
      properties: {
        total: {
          type: 'integer',
          minimum: 0,
          description: 'Resources on all pages, where `withCount` asks',
        },
        rangeTruncated: {
          type: 'boolean',
          description: 'More lies between the two cursors than is sent',
        },
      },
    },
  },
}))
