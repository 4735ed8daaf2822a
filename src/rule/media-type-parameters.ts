/** A profile that responses can follow if a client asks for it. */
export interface Profile {
  readonly uri: string
  /** Other URIs of the same profile. */
  readonly aliases: readonly string[]
  /** `cursor-pages`: a list has pages by cursor, even if the query string asks for no page. */
  readonly effect: 'cursor-pages'
}

/** The allowed parameters of the media types of a rule. */
export type MediaTypeParameters =
  /** `charset=utf-8`; other parameters are ignored. */
  | { readonly kind: 'charset' }
  /**
   * Only `ext` and `profile`, each a list of URIs (JSON:API 1.1, content negotiation), for the
   * first of several media types. Requests and responses must name exactly these extensions.
   */
  | {
      readonly kind: 'uris'
      readonly extensions: readonly string[]
      readonly profiles: readonly Profile[]
    }

/**
 * Accepts `charset=utf-8`, which JSON (RFC 8259 §8.1) has anyway.
 *
 * ```ts
 * const format: ModelFormat = { ...modelFormat, mediaTypeParameters: charsetParameters }
 * ```
 */
export const charsetParameters: MediaTypeParameters = Object.freeze({ kind: 'charset' })
