import type { Context } from '../context/context.ts'
import type { TrustedOrigins } from '../http/cross-site-guard.ts'
import { milliseconds, type OptionChecks, positiveMilliseconds } from '../model/check-options.ts'
import type { Info } from '../openapi/document.ts'
import type { Policy } from '../policy/policy.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { Store } from '../store/store.ts'

export interface RouterOptions {
  /** The protocol, for example `rest()`. */
  readonly policy: Policy
  /**
   * Routers may share it, with the same models: what one of them is not to show, its mappers hide.
   */
  readonly store: Store
  /**
   * Keeps the bytes of binary resources; needed where models have any. Routers may share it, in one
   * process; no other service may, for blobs that no item of theirs holds are swept away.
   */
  readonly blobs?: BlobStore
  /**
   * How old blobs that no item holds must be to be swept away when the router opens, in
   * milliseconds: longer than any upload takes. 1 h unless given.
   */
  readonly blobGraceMs?: number
  /** Where the router is mounted, for example `/api`; at the root unless given. */
  readonly basePath?: string
  /**
   * The service's own address, for example `https://books.example`: `Location` and links are
   * absolute with it, else relative to the root. A function is asked once, at the first answer that
   * needs it: for services that know their port only when they listen.
   */
  readonly baseUrl?: string | (() => string)
  /**
   * Origins whose pages may change things here, such as `https://shop.example`. Of any other page
   * that is not of the service's own origin, requests that change something are refused (403), so
   * that no form elsewhere acts with the cookies of its reader. `any` lets all through: for
   * services that know their callers by nothing that a browser sends by itself. What is not sent by
   * a page is not asked about. None unless given.
   */
  readonly trustedOrigins?: TrustedOrigins
  /** What one request may ask for; unnamed limits keep their defaults. */
  readonly limits?: Partial<RouterLimits>
  /**
   * Writes to existing items need `If-Match`, else 428. False unless given; models can ask for it
   * one by one.
   */
  readonly requireMatch?: boolean
  /**
   * How long an action may take, and wait while other actions work on the same item, in
   * milliseconds: 30 000 unless given. Then the first is a fault of the service (500, reported),
   * the second is answered with 429. Actions that never wait are not bound by it.
   */
  readonly actionTimeoutMs?: number
  /**
   * How long the asynchronous schemas of one request are waited for, in milliseconds: 10 000 unless
   * given, then the request is answered with 503, and the fault is reported. Nothing else waits
   * meanwhile.
   */
  readonly validationTimeoutMs?: number
  /**
   * Lets cursors outlive the process and be shared between processes, where they hide what they
   * hold: of sorts by hidden members, through guarded models, and by fields of models with mappers.
   * At least 32 bytes, best random ones; a shorter one is refused.
   */
  readonly cursorSecret?: string
  /** What the document says about the service as a whole: its title, its version, its license. */
  readonly info?: Info
  /**
   * Serves the OpenAPI document at `{basePath}/openapi.json`, and at `{basePath}/docs` a page to
   * read and try it, to whoever asks: middleware does not guard them. Nothing on the page comes
   * from elsewhere. False unless given.
   */
  readonly docs?: boolean
  /**
   * Told of every unexpected fault of the router's requests, wherever it is met: of those that
   * callers see as an opaque 5xx, with the context of the request, and of those of answers that are
   * being sent, which end the connection. Unless given, they go to `onError` of `serve` once an
   * answer is sent, and to standard error before.
   */
  readonly onError?: (error: unknown, context: Context | undefined) => void
}

export const routerOptions: OptionChecks<RouterOptions> = {
  policy: true,
  store: true,
  blobs: true,
  blobGraceMs: { ...milliseconds, max: Number.MAX_SAFE_INTEGER },
  basePath: true,
  baseUrl: true,
  trustedOrigins: true,
  limits: true,
  requireMatch: 'boolean',
  actionTimeoutMs: milliseconds,
  validationTimeoutMs: positiveMilliseconds,
  cursorSecret: true,
  info: true,
  docs: 'boolean',
  onError: true,
}
