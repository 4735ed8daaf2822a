import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { problemMembers, problemMetaSchema } from '../problem-members.ts'
import { jsonApiObject } from './common-schemas.ts'

/**
 * The document of errors.
 * @param errorDocsUrl the URL of a page that explains each code at the fragment of its name; if
 * set, every error links to it
 */
export function errorsDocument(errorDocsUrl: string | undefined): JsonSchema {
  const items = errorObjectSchema(errorDocsUrl)
  return component('JsonApiErrors', 'service', () => ({
    type: 'object',
    description: 'All problems of the request (JSON:API 1.1, errors)',
    properties: {
      jsonapi: jsonApiObject,
      errors: { type: 'array', minItems: 1, items },
      meta: {
        type: 'object',
        properties: {
          omitted: {
            type: 'integer',
            minimum: 1,
            description: 'Number of problems that `errors` does not list',
          },
        },
      },
    },
    required: ['jsonapi', 'errors'],
  }))
}

function errorObjectSchema(errorDocsUrl: string | undefined): JsonSchema {
  return component('JsonApiError', 'service', () => ({
    type: 'object',
    description: 'One problem of the request',
    properties: {
      status: { type: 'string', pattern: '^[45]\\d\\d$' },
      ...problemMembers,
      links: errorLinksSchema(errorDocsUrl),
      meta: problemMetaSchema,
    },
    required: [
      'status',
      'code',
      'title',
      'detail',
      ...(errorDocsUrl === undefined ? [] : ['links']),
    ],
  }))
}

function errorLinksSchema(errorDocsUrl: string | undefined): JsonSchema {
  const kind = 'The error type of a profile'
  return errorDocsUrl === undefined
    ? { type: 'object', properties: { type: { type: 'string', format: 'uri', description: kind } } }
    : {
        type: 'object',
        properties: {
          type: {
            type: 'string',
            format: 'uri-reference',
            description: `${kind}, or else \`${errorDocsUrl}\` with the code as the fragment`,
          },
        },
        required: ['type'],
      }
}
