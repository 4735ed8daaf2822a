import type { JsonSchema } from '../schema/json-schema.ts'
import { errorCodeSchema } from './error-code-schema.ts'

/**
 * The members of one fault that every policy writes alike, but for `meta`. Its status is a text
 * here and a number there.
 */
export const problemMembers: Readonly<Record<'code' | 'title' | 'detail' | 'source', JsonSchema>> =
  {
    code: errorCodeSchema,
    title: { type: 'string', description: 'What faults of this kind have in common' },
    detail: { type: 'string', description: 'What was wrong here, and what would be right' },
    source: {
      type: 'object',
      description: 'Where the fault lies',
      properties: {
        pointer: {
          type: 'string',
          format: 'json-pointer',
          description: 'Into the body that was sent (RFC 6901)',
        },
        parameter: { type: 'string', description: 'A query parameter' },
        header: { type: 'string', description: 'A header of the request' },
      },
    },
  }

/** What else is told of a fault: the last of its members, after what a policy adds to it. */
export const problemMetaSchema: JsonSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'More about it, such as a limit that was met',
}
