import type { OwnRoute } from '../../openapi/own-routes.ts'

const text = { type: 'string' } as const
const texts = { type: 'array', items: text } as const
const url = { type: 'string', format: 'uri' } as const

/** The route of the metadata, for the OpenAPI document. */
export function metadataRoute(path: string): OwnRoute {
  return {
    path,
    operations: {
      get: {
        summary: 'Read how to get a token',
        description: 'The metadata of this service for OAuth clients (RFC 9728).',
        operationId: 'getProtectedResource',
        security: [],
        responses: {
          200: {
            description: 'The metadata',
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    resource: url,
                    authorization_servers: { type: 'array', items: url },
                    bearer_methods_supported: texts,
                    scopes_supported: texts,
                    resource_name: text,
                    resource_documentation: url,
                  },
                  required: ['resource', 'authorization_servers'],
                },
              },
            },
          },
        },
      },
    },
  }
}
