import type { JsonSchema } from '../schema/json-schema.ts'

/** A body of one media type, for the document. */
export interface Content {
  readonly schema: JsonSchema
  /** A complete body. */
  readonly example?: unknown
  /** The schema of each item of a sequential media type (OpenAPI 3.2). */
  readonly itemSchema?: JsonSchema
  /** The encoding of the parts of a multipart body, by name. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}

/** Bodies by media type. Called for documents only. */
export type Contents = () => Readonly<Record<string, Content>>

/**
 * The contents of a message without a body.
 *
 * ```ts
 * const response: ResponseShape = { ...emptyResponse, status: 204, contents: noContents }
 * ```
 */
export const noContents: Contents = () => ({})
