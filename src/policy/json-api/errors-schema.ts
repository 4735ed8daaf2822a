import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { problemMembers, problemMetaSchema } from '../problem-members.ts'
import { jsonApiObject } from './common-schemas.ts'

/**
 * Documents of errors.
 * @param errorDocsUrl the address of a page that explains each code under the fragment of its name:
 * every error then links to its kind
 */
export function errorsDocument(errorDocsUrl: string | undefined): JsonSchema {
  const items = errorObjectSchema(errorDocsUrl)
  return component('JsonApiErrors', 'service', () => ({
    type: 'object',
    description: 'What is wrong with the request: all faults at once (JSON:API 1.1, errors)',
    properties: {
      jsonapi: jsonApiObject,
      errors: { type: 'array', minItems: 1, items },
      meta: {
        type: 'object',
        properties: {
          untold: { type: 'integer', minimum: 1, description: 'How many more faults there are' },
        },
      },
    },
    required: ['jsonapi', 'errors'],
  }))
}

function errorObjectSchema(errorDocsUrl: string | undefined): JsonSchema {
  return component('JsonApiError', 'service', () => ({
    type: 'object',
    description: 'One fault',
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
  const kind = 'The kind of error, as a profile names it'
  return errorDocsUrl === undefined
    ? { type: 'object', properties: { type: { type: 'string', format: 'uri', description: kind } } }
    : {
        type: 'object',
        properties: {
          type: {
            type: 'string',
            format: 'uri-reference',
            description: `${kind}, or else what explains it: \`${errorDocsUrl}\` with the code as the fragment`,
          },
        },
        required: ['type'],
      }
}
