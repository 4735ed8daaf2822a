import type { Context } from '../context/context.ts'
import type { ApiError } from '../error/api-error.ts'
import type { ChangesOptions } from '../feature/change-log/change-log-options.ts'
import type { CompressionOptions } from '../feature/compression/compression-options.ts'
import type { IdempotencyOptions } from '../feature/idempotency/idempotency-options.ts'
import { milliseconds, type OptionChecks, wholeNumber } from '../model/check-options.ts'
import type { ShownCapabilities } from '../model/model-view.ts'
import type { Info } from '../openapi/document.ts'
import type { Policy } from '../policy/policy.ts'
import type { RouterLimits, UnpagedLists } from '../rule/router-limits.ts'
import type { OutputOf, Schema } from '../schema/standard-schema.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { StartProgress, Store } from '../store/store.ts'
import type { SecurityOptions } from './security-options.ts'
import type { TimeoutOptions } from './timeout-options.ts'

export interface RouterOptions<CallerSchema extends Schema = Schema> {
  /** The protocol, for example `rest()`. */
  readonly policy: Policy
  /**
   * Stores the items. Routers with the same models may share a store; use mappers to hide fields in
   * one of them.
   */
  readonly store: Store
  /**
   * Stores the bytes of binary resources; required if a model has any. Routers of one process may
   * share a blob store. Other services must not: routers delete blobs that none of their items
   * references. Default: none.
   */
  readonly blobs?: BlobStore
  /**
   * When the router opens, it deletes unreferenced blobs that are older than this, in milliseconds.
   * Must be longer than any upload takes. Default: 3 600 000 (1 h).
   */
  readonly blobGraceMs?: number
  /** The path that the router is mounted at, for example `/api`. Default: the root. */
  readonly basePath?: string
  /**
   * The origin of the service, for example `https://books.example`. With it, `Location` and links
   * are absolute, else relative to the root. A function is called once, by the first response that
   * needs it, for services that know their port only when they listen. Default: none.
   */
  readonly baseUrl?: string | (() => string)
  /**
   * Who sends requests, from which pages, and what they may do. Default: every request is
   * anonymous and may do everything, except writes from pages of other sites.
   */
  readonly security?: SecurityOptions<CallerSchema>
  /**
   * Returns the current time, for access rules that compare with `now`, and `context.now`. For
   * tests. Default: the clock of the system.
   */
  readonly now?: () => Date
  /**
   * Says what the caller may do: with `models`, at `{basePath}/<plural>/capabilities`; with
   * `items`, also as `meta.can` in the document of each single item. For clients, forms and admin
   * pages. Default: `none`.
   */
  readonly capabilities?: ShownCapabilities
  /** Limits of one request. Default: `defaultRouterLimits`, also for each limit that is missing. */
  readonly limits?: Partial<RouterLimits>
  /**
   * What a list without `page` is: `whole` with all items, or `paged` as its first page, with the
   * links of a page. The limit `maxItems` bounds whole lists. Default: `whole`.
   */
  readonly lists?: UnpagedLists
  /**
   * Requires `If-Match` for writes to existing items, else 428. Models can require it themselves.
   * Default: false.
   */
  readonly requireMatch?: boolean
  /**
   * Lets clients repeat writes that have an `Idempotency-Key`: the first request with a key is
   * carried out, and a repetition gets its result, even if the service has ended in between.
   * Default: false, which ignores the header.
   */
  readonly idempotency?: boolean | IdempotencyOptions<OutputOf<CallerSchema>>
  /**
   * Logs each change of an item, in the transaction of the write: what feeds, consumers and
   * webhooks read. Models may say otherwise with their own option `changes`. Default: false, and
   * writes of models without the option pay nothing.
   */
  readonly changes?: boolean | ChangesOptions
  /** How long actions, hooks and schemas may take. Default: 30 s for an action, 10 s for others. */
  readonly timeouts?: TimeoutOptions
  /**
   * Maximum bytes of serialized items and documents that the router keeps, for all groups of
   * callers who see different fields together. 0 keeps none. Default: 67 108 864 (64 MiB).
   */
  readonly maxCacheBytes?: number
  /**
   * The `info` of the OpenAPI document: title, version, license. Default:
   * `{ title: 'API', version: '1' }`.
   */
  readonly info?: Info
  /**
   * Serves the OpenAPI document at `{basePath}/openapi.json`, and a page to read and try it at
   * `{basePath}/docs`. Middleware does not guard them. The page loads nothing from other hosts.
   * Default: false.
   */
  readonly docsPage?: boolean
  /**
   * Serves a page for browsers at the base path, with links to the lists of the models and their
   * counts, for a caller who is not signed in. `serve` leads to it from `/`. Each view counts the
   * items of all models, so it is meant for development. Default: false.
   */
  readonly startPage?: boolean
  /**
   * Compresses JSON and text with Brotli or gzip, as the client accepts it; lists while they are
   * sent. Files are sent as they are. Default: false, for services behind a proxy that compresses.
   */
  readonly compression?: boolean | CompressionOptions
  /**
   * Called with every unexpected error: those that clients see as a 5xx without details, with the
   * context of the request, errors of `items` that only other code can prevent, such as an unknown
   * member, and errors while a response is sent, which close the connection. That a newer version
   * of the program has changed the tables, so that every request fails, it hears once a minute.
   * Default: standard error, and `onError` of `serve` for errors while a response is sent.
   */
  readonly onError?: (error: unknown, context: Context | undefined) => void
  /**
   * Called with what `items` refused (403, 404, 409, 412, 422) and code did not catch, where the
   * client gets the status and the title alone: the error has the sentences. Default: nothing.
   */
  readonly onRefusal?: (error: ApiError, context: Context | undefined) => void
  /**
   * Called while the router opens its store, after each batch of items that a changed model makes
   * it write. Default: a line each five seconds to standard error.
   */
  readonly onProgress?: (progress: StartProgress) => void
}

export const routerOptions: OptionChecks<RouterOptions> = {
  policy: true,
  store: true,
  blobs: true,
  blobGraceMs: { ...milliseconds, max: Number.MAX_SAFE_INTEGER },
  basePath: true,
  baseUrl: true,
  security: true,
  now: 'function',
  capabilities: ['none', 'models', 'items'],
  limits: true,
  lists: ['paged', 'whole'],
  requireMatch: 'boolean',
  idempotency: true,
  changes: true,
  timeouts: true,
  maxCacheBytes: wholeNumber(0),
  info: true,
  docsPage: 'boolean',
  startPage: 'boolean',
  compression: true,
  onError: 'function',
  onRefusal: 'function',
  onProgress: 'function',
}
