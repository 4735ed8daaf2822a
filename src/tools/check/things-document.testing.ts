const json = (schema: object) => ({ 'application/json': { schema } })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const refusal = { description: 'No', content: json(ref('Problem')) }
const refusals = (...statuses: readonly number[]) =>
  Object.fromEntries(statuses.map((status) => [status, refusal]))
const sentThing = { required: true, content: json(ref('SentThing')) }
const etag = { etag: { required: true, schema: { type: 'string', pattern: '^".*"$' } } }
const oneThing = { description: 'The thing', headers: etag, content: json(ref('Thing')) }

/** The document of `faulty-service.testing.ts`. */
export const thingsDocument = {
  openapi: '3.1.2',
  info: { title: 'Things', version: '1' },
  paths: {
    '/things': {
      get: {
        operationId: 'getThings',
        responses: {
          200: {
            description: 'All',
            content: json({
              type: 'object',
              required: ['things'],
              properties: { things: { type: 'array', items: ref('Thing') } },
            }),
          },
        },
      },
      post: {
        operationId: 'postThings',
        requestBody: sentThing,
        responses: {
          201: { description: 'Made', content: json(ref('Thing')) },
          ...refusals(415, 422),
        },
      },
    },
    '/things/{id}': {
      // Things are never replaced: PUT is always 403.
      'x-resourcery-allow': 'GET, HEAD, OPTIONS, PUT, PATCH, DELETE',
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
      get: {
        operationId: 'getThing',
        responses: { 200: oneThing, 304: { description: 'As it was' }, ...refusals(404) },
      },
      patch: {
        operationId: 'patchThing',
        requestBody: sentThing,
        responses: { 200: oneThing, ...refusals(404, 412, 415, 422) },
      },
      delete: {
        operationId: 'deleteThing',
        responses: { 204: { description: 'Gone' }, ...refusals(404) },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: 'object',
        required: ['id', 'name'],
        properties: { id: { type: 'string' }, name: { type: 'string' } },
      },
      SentThing: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string', minLength: 1, maxLength: 20 } },
      },
      Problem: { type: 'object', required: ['title'], properties: { title: { type: 'string' } } },
    },
  },
}
