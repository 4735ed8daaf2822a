import type { ModelViews } from '../../model/model-view.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { nullable } from '../../schema/nullable.ts'
import { listMetaSchema, listMetaSchemas } from '../list-meta-schema.ts'
import { pageParametersSchema } from '../page-parameters-schema.ts'

// Schemas that all documents share (JSON:API 1.1, document structure).

const addressSchema: JsonSchema = { type: 'string', format: 'uri-reference' }
const pageLinkSchema: JsonSchema = { type: ['string', 'null'], format: 'uri-reference' }

export const jsonApiObject: JsonSchema = component('JsonApi', 'service', () => ({
  type: 'object',
  description: 'The version of JSON:API, and the profiles and extensions of the document',
  properties: {
    version: { type: 'string', const: '1.1' },
    profile: { type: 'array', items: { type: 'string', format: 'uri' } },
    ext: { type: 'array', items: { type: 'string', format: 'uri' } },
  },
  required: ['version'],
}))

/** The top-level links of a document; with `describedby` if the router serves its documentation. */
export function documentLinks({ documentPath }: ModelViews): JsonSchema {
  return documentPath === undefined ? plainDocumentLinks : describedDocumentLinks
}

const documentLinksSchema: JsonSchema = {
  type: 'object',
  description: 'URLs of the document and of other pages; null if there is no such page',
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
 * The links of a resource: `self`, and one to each binary resource or null.
 * @param maskedNames those that rules keep from some callers
 */
export function resourceLinks(
  binaries: readonly string[],
  maskedNames: ReadonlySet<string>,
  extent: 'complete' | 'selected',
): JsonSchema {
  if (binaries.length === 0) return selfLinks
  return {
    type: 'object',
    properties: {
      self: addressSchema,
      ...Object.fromEntries(binaries.map((name) => [name, nullable(binaryLink)])),
    },
    required:
      extent === 'complete'
        ? ['self', ...binaries.filter((name) => !maskedNames.has(name))]
        : ['self'],
  }
}

const selfLinks: JsonSchema = component('ResourceLinks', 'service', () => ({
  type: 'object',
  properties: { self: addressSchema },
  required: ['self'],
}))

const binaryLink: JsonSchema = component('BinaryLink', 'service', () => ({
  type: 'object',
  description: 'The URL of a binary resource, and facts about it',
  properties: {
    href: addressSchema,
    type: { type: 'string', description: 'The media type' },
    meta: {
      type: 'object',
      properties: {
        contentType: { type: 'string' },
        size: { type: 'integer', minimum: 0, description: 'In bytes' },
        hash: { type: 'string', description: 'SHA-256 of the bytes; the ETag without quotes' },
        fileName: { type: ['string', 'null'], description: 'The name of the uploaded file' },
      },
      required: ['contentType', 'size', 'hash', 'fileName'],
    },
  },
  required: ['href', 'type', 'meta'],
}))

export const relationshipLinks: JsonSchema = component('RelationshipLinks', 'service', () => ({
  type: 'object',
  description:
    'URLs of the relationship and of the related resources; if the linkage is a page, also of other pages',
  properties: {
    self: addressSchema,
    related: addressSchema,
    first: pageLinkSchema,
    prev: pageLinkSchema,
    next: pageLinkSchema,
  },
  required: ['self', 'related'],
}))

/** The `meta` of a resource or an identifier. */
export const resourceMeta: JsonSchema = component('ResourceMeta', 'service', () => ({
  type: 'object',
  properties: {
    version: {
      type: 'string',
      description: 'Changes with every change of the resource; the source of its ETag',
    },
    page: {
      type: 'object',
      properties: {
        cursor: { type: 'string', description: 'The cursor of the resource in the list' },
      },
      required: ['cursor'],
    },
  },
}))

const pageMeta: JsonSchema = {
  type: 'object',
  properties: {
    total: {
      type: 'integer',
      minimum: 0,
      description: 'Number of resources on all pages, if the request has `withCount`',
    },
    rangeTruncated: {
      type: 'boolean',
      description: 'True if the response lacks resources between the two cursors',
    },
    parameters: pageParametersSchema,
  },
}

/** `meta` of a list that has nothing about its model. */
export const listMeta: JsonSchema = listMetaSchema(pageMeta)

/** `meta` of the list of a model. */
export const listMetaOf: ReturnType<typeof listMetaSchemas> = listMetaSchemas(pageMeta, listMeta)
