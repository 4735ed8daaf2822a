// The public names of `resourcery/openapi`: the OpenAPI document as a value, its types, and what it
// is made of.

export type { ContentEncoding } from '../rule/contents.ts'
export { operationIdOf } from '../rule/operation-id.ts'
export type {
  Components,
  ContentObject,
  ExternalDocs,
  HeaderObject,
  HttpMethod,
  LinkObject,
  MediaTypeObject,
  OpenApiDocument,
  OpenApiVersion,
  OperationObject,
  ParameterObject,
  PathItem,
  Reference,
  RequestBodyObject,
  ResponseObject,
  SecurityRequirement,
  ServerAddress,
  Tag,
  WebhookItem,
} from './document.ts'
export { noResponseDescription } from './no-response-description.ts'
export type { OpenApiOptions } from './open-api-options.ts'
export type { OwnOperation, OwnOperations } from './own-routes.ts'
export { toOpenApi } from './to-open-api.ts'
export { toOpenApiSchema } from './to-open-api-schema.ts'
