import type { Authentication } from '../authentication/authentication.ts'
import type { LruCache } from '../cache/lru-cache.ts'
import type { Clock, Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ApiError } from '../error/api-error.ts'
import type { CrossSiteGuard } from '../http/cross-site-guard.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelViews } from '../model/model-view.ts'
import type { ImageVariants } from '../operation/resource/image-variants.ts'
import type { CodeRunner } from '../operation/write-hooks/write-attempt.ts'
import type { WriteHookServices } from '../operation/write-hooks/write-observer.ts'
import type { CursorCodec } from '../query/cursor-codec.ts'
import type { PolicyLimits } from '../rule/router-limits.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import type { CachedDocument } from './document-cache.ts'

/** What all requests of one router share. */
export interface RouterServices extends CodeRunner {
  /** As callers see it. */
  readonly store: Store
  /** For operations that write: they read whole items, and `shownItem` says what callers see. */
  readonly wholeStore: Store
  /** Undefined where no model has binary resources. */
  readonly blobs: SharedBlobs | undefined
  /** Undefined where no model has image variants. */
  readonly variants: ImageVariants | undefined
  readonly views: ModelViews
  readonly guards: Guards
  readonly mappers: ReadonlyMap<ModelDescription, readonly Mapper[]>
  readonly limits: PolicyLimits
  readonly cursorCodec: CursorCodec
  /** Items as the serializer writes them, with the separator before them, by model and version. */
  readonly serializedItems: LruCache<string, Uint8Array>
  /** Documents of single items, see `documentCacheOf`. */
  readonly itemDocuments: LruCache<string, CachedDocument>
  /** The mount path. */
  readonly basePath: string
  /**
   * The service's own address; empty if not configured.
   * @throws RegistrationError for an invalid address
   */
  baseUrl(): string
  /** The base URL, if configured, and the mount path. */
  urlPrefix(): string
  /** Called for each request with an unsafe method. */
  readonly refuseCrossSite: CrossSiteGuard
  /** Undefined where all callers are anonymous. */
  readonly authentication: Authentication | undefined
  /** How long an action may take, in milliseconds. */
  readonly actionTimeoutMs: number
  /** How long one request waits for asynchronous schemas, in milliseconds. */
  readonly validationTimeoutMs: number
  /** Tells when a request is sent. */
  readonly clock: Clock
  /** How long code in a transaction may do nothing with items, in milliseconds. */
  readonly hookTimeoutMs: number
  /** Undefined where nothing runs around writes. */
  readonly writeHooks: WriteHookServices | undefined
  /** Called with errors that are not the client's fault. */
  readonly onError: (error: unknown, context: Context | undefined) => void
  /** Called with errors of items whose sentences the client does not get. */
  readonly onRefusal: (error: ApiError, context: Context | undefined) => void
}
