const json = (schema: object) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const refusal = { description: 'No', content: json(ref('Problem')) }
const refusals = (...statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, refusal]))
const text = { type: 'string' }
const number = { type: 'integer' }
const query = (name: string, schema: object, rest: object = {}) => ({
  name,
  in: 'query',
  schema,
  ...rest,
})
const listOf = (plural: string, schema: string) => ({
  description: 'All',
  content: json({
    type: 'object',
    required: [plural],
    properties: {
      [plural]: { type: 'array', items: ref(schema) },
      total: number,
    },
  }),
})

/** The document of `leaky-service.testing.ts`, with the field `score` for admins alone. */
export function leakyDocument(isAdmin: boolean): object {
  const fields = ['id', 'title', 'secret', ...(isAdmin ? ['score'] : [])]
  const sortKeys = fields.flatMap((field) => [field, `-${field}`])
  return {
    openapi: '3.1.2',
    info: { title: 'Notes', version: '1' },
    paths: {
      '/notes': {
        get: {
          operationId: 'getNotes',
          parameters: [
            ...fields.map((field) => query(`filter[${field}]`, field === 'score' ? number : text)),
            query(
              'sort',
              { type: 'array', items: { type: 'string', enum: sortKeys } },
              { explode: false },
            ),
            query('withCount', { type: 'boolean' }),
          ],
          responses: { 200: listOf('notes', 'Note'), ...refusals(400) },
        },
      },
      '/notes/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: {
          operationId: 'getNote',
          responses: {
            200: { description: 'The note', content: json(ref('NoteDocument')) },
            304: { description: 'As it was' },
            ...refusals(404),
          },
        },
        patch: {
          operationId: 'patchNote',
          requestBody: { required: true, content: json(ref('SentNote')) },
          responses: {
            200: { description: 'The note', content: json(ref('NoteDocument')) },
            ...refusals(403, 404, 412, 422),
          },
        },
      },
      '/notes/{id}/history': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: {
          operationId: 'getHistory',
          responses: {
            200: { description: 'Its changes', content: json({ type: 'object' }) },
            ...refusals(404),
          },
        },
      },
      '/comments': {
        get: {
          operationId: 'getComments',
          parameters: [query('filter[note]', text)],
          responses: { 200: listOf('comments', 'Comment'), ...refusals(400) },
        },
        post: {
          operationId: 'postComment',
          requestBody: { required: true, content: json(ref('SentComment')) },
          responses: {
            201: { description: 'The comment', content: json({ type: 'object' }) },
            ...refusals(422),
          },
        },
      },
      '/comments/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: text }],
        get: {
          operationId: 'getComment',
          responses: {
            200: { description: 'The comment', content: json({ type: 'object' }) },
            ...refusals(404),
          },
        },
      },
    },
    components: {
      schemas: {
        Note: {
          type: 'object',
          required: ['id', 'title'],
          properties: Object.fromEntries(
            fields.map((field) => [field, field === 'score' ? number : text]),
          ),
        },
        NoteDocument: { type: 'object', properties: { note: ref('Note') } },
        SentNote: {
          type: 'object',
          additionalProperties: false,
          properties: { title: { type: 'string', minLength: 1 } },
        },
        Comment: { type: 'object', required: ['id'], properties: { id: text, note: text } },
        SentComment: {
          type: 'object',
          required: ['note'],
          properties: { note: { type: 'string', 'x-resourcery-relates-to': 'notes' } },
        },
        Problem: { type: 'object', required: ['title'], properties: { title: text } },
      },
    },
  }
}
