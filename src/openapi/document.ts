import type { ContentEncoding } from '../rule/contents.ts'
import type { JsonSchema } from '../schema/json-schema.ts'

/** Supported versions of OpenAPI. */
export type OpenApiVersion = '3.0.4' | '3.1.2' | '3.2.0'

/** The service as a whole (OpenAPI 3.1, Info Object). */
export interface Info {
  readonly title: string
  /** The version of the API. */
  readonly version: string
  readonly summary?: string
  /** CommonMark. */
  readonly description?: string
  readonly termsOfService?: string
  readonly contact?: { readonly name?: string; readonly url?: string; readonly email?: string }
  readonly license?: { readonly name: string; readonly identifier?: string; readonly url?: string }
}

export interface ExternalDocs {
  readonly url: string
  readonly description?: string
}

/** The URL of the API, relative to the document or absolute; may contain variables in braces. */
export interface ServerAddress {
  readonly url: string
  readonly description?: string
  readonly variables?: Readonly<
    Record<
      string,
      { readonly default: string; readonly enum?: readonly string[]; readonly description?: string }
    >
  >
}

export interface Tag {
  readonly name: string
  /** The title, in OpenAPI 3.2. */
  readonly summary?: string
  /** The title, as documentation pages read it before OpenAPI 3.2. */
  readonly 'x-displayName'?: string
  readonly description?: string
  readonly externalDocs?: ExternalDocs
}

export interface Reference {
  readonly $ref: string
}

export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly description: string
  readonly required?: boolean
  readonly deprecated?: boolean
  readonly style?: 'form' | 'deepObject'
  readonly explode?: boolean
  readonly schema: JsonSchema
  readonly example?: string | number | readonly string[]
}

export interface HeaderObject {
  readonly description: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

/** Has a schema of the whole body, or in OpenAPI 3.2 of each item of a sequence. */
export interface MediaTypeObject {
  readonly schema?: JsonSchema
  readonly itemSchema?: JsonSchema
  readonly example?: unknown
  readonly encoding?: Readonly<Record<string, ContentEncoding>>
}

export type ContentObject = Readonly<Record<string, MediaTypeObject>>

export interface LinkObject {
  readonly operationId: string
  readonly parameters: Readonly<Record<string, string>>
}

export interface ResponseObject {
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderObject | Reference>>
  readonly content?: ContentObject
  readonly links?: Readonly<Record<string, LinkObject>>
}

export interface RequestBodyObject {
  readonly required: boolean
  readonly content: ContentObject
}

/** The security schemes that a request needs, all of them, each with its scopes. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>

export interface OperationObject {
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly operationId: string
  readonly deprecated?: boolean
  readonly parameters?: readonly (ParameterObject | Reference)[]
  readonly requestBody?: RequestBodyObject
  readonly responses: Readonly<Record<string, ResponseObject | Reference>>
  /**
   * One of them is enough. Empty if the operation needs no security scheme; absent only where
   * nothing is known about it, in a route of `describe()`.
   */
  readonly security?: readonly SecurityRequirement[]
}

/** `query` since OpenAPI 3.2. */
export type HttpMethod = 'get' | 'query' | 'post' | 'put' | 'patch' | 'delete'

/** The operations of one path. */
export type PathItem = { readonly [method in HttpMethod]?: OperationObject } & {
  /** `Allow` in responses to OPTIONS and in 405; undefined for routes beside the rules. */
  readonly 'x-resourcery-allow'?: string
  /** Where a route beside the rules is served; undefined for those of rules. */
  readonly servers?: readonly ServerAddress[]
}

/** What a receiver of an event has to serve, at an address of its own. */
export interface WebhookItem {
  readonly post: Omit<OperationObject, 'operationId'>
}

export interface Components {
  readonly schemas?: Readonly<Record<string, JsonSchema>>
  readonly responses?: Readonly<Record<string, ResponseObject>>
  readonly parameters?: Readonly<Record<string, ParameterObject>>
  readonly headers?: Readonly<Record<string, HeaderObject>>
  readonly securitySchemes?: Readonly<Record<string, object>>
}

/** An OpenAPI document as a plain object, ready for `JSON.stringify`. */
export interface OpenApiDocument {
  readonly openapi: OpenApiVersion
  readonly info: Info
  readonly externalDocs?: ExternalDocs
  readonly servers: readonly ServerAddress[]
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, PathItem>>
  /** What the service sends to others, by the type of the event. */
  readonly webhooks?: Readonly<Record<string, WebhookItem>>
  readonly components: Components
}
