import type { JsonSchema } from '../schema/json-schema.ts'

/** How a form has one of its members: the media type of a part, or the style of a parameter. */
export interface ContentEncoding {
  readonly contentType?: string
  readonly style?: 'form' | 'deepObject'
  readonly explode?: boolean
}

/** A body of one media type, for the document. */
export interface Content {
  readonly schema: JsonSchema
  /** A complete body. */
  readonly example?: unknown
  /** The schema of each item of a sequential media type (OpenAPI 3.2). */
  readonly itemSchema?: JsonSchema
  /** The encoding of the members of a form, by name. */
  readonly encoding?: Readonly<Record<string, ContentEncoding>>
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
