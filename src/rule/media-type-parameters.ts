/** A profile that an answer can follow, and what it does where a client asks for it. */
export interface Profile {
  readonly uri: string
  /** Other spellings that clients ask for it by. */
  readonly aliases: readonly string[]
  /** `cursor-pages`: a list comes in pages by cursor, even when the query string asks for none. */
  readonly effect: 'cursor-pages'
}

/** What the parameters of a rule's media types may be. */
export type MediaTypeParameters =
  /** `charset` is UTF-8; others say nothing. */
  | { readonly kind: 'charset' }
  /**
   * `ext` and `profile` and no others, each a list of URIs (JSON:API 1.1, content negotiation);
   * where a body may come in several types, of the first. The documents are written in the
   * extensions: a body has to name all of them and no others, and so does the answer.
   */
  | {
      readonly kind: 'uris'
      readonly extensions: readonly string[]
      readonly profiles: readonly Profile[]
    }

/** UTF-8 or unsaid: how JSON is named. */
export const charsetParameters: MediaTypeParameters = Object.freeze({ kind: 'charset' })
