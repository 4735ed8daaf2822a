/** Which pages of other origins may read responses (CORS, Fetch Standard §3.2). */
export interface CorsOptions {
  /**
   * The origins, such as `['https://shop.example']`, as browsers send them; their pages may write
   * too, as if `trustedOrigins` listed them. `'*'` lets all pages read, and trusts none.
   */
  readonly origins: readonly string[] | '*'
  /**
   * May pages send cookies and other credentials of the browser? Not with `'*'`. Default: false.
   */
  readonly credentials?: boolean
  /** How long browsers keep the answer to a preflight, in seconds. Default: 600. */
  readonly maxAgeSeconds?: number
  /**
   * Request headers that pages may send besides those of the rules and authenticators, such as
   * `['X-Tenant']` for a hook. Default: none.
   */
  readonly headers?: readonly string[]
}

/** CORS as the options of a router say it, with their defaults. */
export type CorsSettings = Required<CorsOptions>
