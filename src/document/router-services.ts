import type { LruCache } from '../cache/lru-cache.ts'
import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { CrossSiteGuard } from '../http/cross-site-guard.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelViews } from '../model/model-view.ts'
import type { ImageVariants } from '../operation/resource/image-variants.ts'
import type { CursorCodec } from '../query/cursor-codec.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import type { Store } from '../store/store.ts'

/** What all requests to one router share. */
export interface RouterServices {
  readonly store: Store
  /** Undefined where no model has binary resources. */
  readonly blobs: SharedBlobs | undefined
  /** Undefined where no model has images in several forms. */
  readonly variants: ImageVariants | undefined
  readonly views: ModelViews
  readonly guards: Guards
  readonly mappers: ReadonlyMap<ModelDescription, readonly Mapper[]>
  readonly limits: RouterLimits
  readonly cursorCodec: CursorCodec
  /**
   * Items as the serializer has written them, with what stands between items before, by version.
   */
  readonly serializedItems: LruCache<string, Uint8Array>
  /** Whole documents of single items, by version. */
  readonly serializedDocuments: LruCache<string, Uint8Array>
  /** Where the router is mounted. */
  readonly basePath: string
  /**
   * The service's own address; empty where none is given. @throws RegistrationError where it is
   * none
   */
  baseUrl(): string
  /** What addresses begin with: the base address, if one is given, and the mount path. */
  urlPrefix(): string
  /** Asked about each request that changes something. */
  readonly refuseCrossSite: CrossSiteGuard
  /** How long an action may take, in milliseconds. */
  readonly actionTimeoutMs: number
  /** How long the asynchronous schemas of one request are waited for, in milliseconds. */
  readonly validationTimeoutMs: number
  /** Told of faults that are not the caller's. */
  readonly onError: (error: unknown, context: Context | undefined) => void
}
