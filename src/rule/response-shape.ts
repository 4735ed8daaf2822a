import type { ErrorCode } from '../error/catalog.ts'
import type { UnwrittenRule } from '../error/unwritten-rule.ts'
import type { Serializer } from '../serializer/serializer.ts'
import type { Contents } from './contents.ts'
import type { MediaTypeParameters } from './media-type-parameters.ts'

/** Headers that only some responses have, in lower case. */
export type HeaderName =
  | 'accept-encoding'
  | 'accept-patch'
  | 'accept-query'
  | 'accept-ranges'
  | 'allow'
  | 'cache-control'
  | 'changes-position'
  | 'content-disposition'
  | 'content-length'
  | 'content-location'
  | 'content-range'
  | 'content-security-policy'
  | 'etag'
  | 'link'
  | 'location'
  | 'preference-applied'
  | 'repr-digest'
  | 'retry-after'
  | 'vary'
  | 'www-authenticate'
  | 'x-accel-buffering'

export type HeaderPresence = { readonly [name in HeaderName]?: 'always' | 'sometimes' }

/** What all successful responses have. */
export interface BaseResponseShape {
  readonly status: number
  readonly description: string
  readonly parameters: MediaTypeParameters
  readonly contents: Contents
  readonly headers: HeaderPresence
}

/** A successful response. */
export interface ResponseShape extends BaseResponseShape {
  readonly serializer: Serializer
  /**
   * `resource`: the bytes of a binary resource; `output`: the output of an action; `changes`: what
   * changed in a list; `groups`: the groups of a list.
   */
  readonly content:
    | 'empty'
    | 'item'
    | 'list'
    | 'linkage'
    | 'resource'
    | 'output'
    | 'changes'
    | 'groups'
  /** The JSON Pointer of the id of the item, or of the first item of a list. */
  readonly idPointer?: string
  /** Representations in other media types; `contents` has all of them. Default: none. */
  readonly alternatives?: readonly AlternativeShape[]
  /** Of files with this response, where `download` can choose it: `csv`. */
  readonly fileExtension?: string
}

/** A representation in another media type, for clients that prefer it. */
export interface AlternativeShape extends Pick<ResponseShape, 'serializer' | 'fileExtension'> {
  /** Default: those of the response. */
  readonly parameters?: MediaTypeParameters
  /** Beside those of the response. Default: none. */
  readonly headers?: HeaderPresence
}

/** The same response in the other media type alone. */
export function inOtherType(
  { alternatives: _, ...response }: ResponseShape,
  alternative: AlternativeShape,
): ResponseShape {
  return { ...response, ...alternative, headers: { ...response.headers, ...alternative.headers } }
}

export interface ErrorResponse {
  readonly status: number
  /** Undefined if an action declares only the status. */
  readonly code: ErrorCode | undefined
  readonly description: string
  /** What may be the reason although the document does not say it. Default: none. */
  readonly unwrittenRules?: readonly UnwrittenRule[]
  readonly headers: HeaderPresence
}
