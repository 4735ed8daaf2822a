import { errorCatalog } from '../error/catalog.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'

/** The codes of the catalog, and codes that the service defines. */
const errorCodeSchema: JsonSchema = component('ErrorCode', 'service', () => ({
  description: 'Stable error code. The service may define codes of its own',
  anyOf: [{ type: 'string', enum: Object.keys(errorCatalog) }, { type: 'string' }],
}))

/**
 * The members of a problem that every policy writes alike, except `meta`. `status` is a string in
 * JSON:API and a number in RFC 9457.
 *
 * ```ts
 * const problem: JsonSchema = {
 *   type: 'object',
 *   properties: { status: { type: 'integer' }, ...problemMembers },
 * }
 * ```
 */
export const problemMembers: Readonly<Record<'code' | 'title' | 'detail' | 'source', JsonSchema>> =
  {
    code: errorCodeSchema,
    title: {
      type: 'string',
      description: 'Short summary, the same for every problem with this code',
    },
    detail: { type: 'string', description: 'What is wrong in this request, and what is expected' },
    source: {
      type: 'object',
      description: 'The source of the problem',
      properties: {
        pointer: {
          type: 'string',
          format: 'json-pointer',
          description: 'JSON Pointer into the request body (RFC 6901)',
        },
        parameter: { type: 'string', description: 'A query parameter' },
        header: { type: 'string', description: 'A header of the request' },
      },
    },
  }

/**
 * Further facts about a problem. It is the last member, after those that a policy adds.
 *
 * ```ts
 * const problem: JsonSchema = {
 *   type: 'object',
 *   properties: { ...problemMembers, meta: problemMetaSchema },
 * }
 * ```
 */
export const problemMetaSchema: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'Further facts, such as the limit that the request exceeded',
}
