import { component, type JsonSchema } from '../../schema/json-schema.ts'
import { problemMembers, problemMetaSchema } from '../problem-members.ts'

/** Problem details (RFC 9457), with every problem of the request. */
export const problemSchema: JsonSchema = component('Problem', 'service', () => ({
  type: 'object',
  description: 'All problems of the request, as problem details (RFC 9457)',
  properties: {
    type: { type: 'string', format: 'uri-reference' },
    title: { type: 'string', description: 'The reason phrase of the status' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string', description: 'What is wrong, and what is expected' },
    errors: { type: 'array', minItems: 1, items: problemErrorSchema },
  },
  required: ['type', 'title', 'status', 'detail', 'errors'],
}))

const problemErrorSchema: JsonSchema = component('ProblemError', 'service', () => ({
  type: 'object',
  description: 'One problem of the request',
  properties: {
    status: { type: 'integer', minimum: 400, maximum: 599 },
    ...problemMembers,
    meta: problemMetaSchema,
  },
  required: ['status', 'code', 'title', 'detail'],
}))
