import type { Cache } from '../cache/generations.ts'
import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Views } from '../model/model-view.ts'
import type { ImageVariants } from '../operation/image-variants.ts'
import type { Cursors } from '../query/cursor.ts'
import type { Limits } from '../rule/limits.ts'
import type { SharedBlobs } from '../store/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import type { CrossSiteGuard } from './cross-site-guard.ts'

/** What all requests to one router share. */
export interface Parts {
  readonly store: Store
  /** Undefined where no model has binary resources. */
  readonly blobs: SharedBlobs | undefined
  /** Undefined where no model has images in several forms. */
  readonly variants: ImageVariants | undefined
  readonly views: Views
  readonly guards: Guards
  readonly mappers: ReadonlyMap<ModelDescription, readonly Mapper[]>
  readonly limits: Limits
  readonly cursors: Cursors
  /** Items as the serializer has written them, with what stands between items before, by version. */
  readonly writtenItems: Cache<string, Uint8Array>
  /** Whole documents of single items, by version. */
  readonly writtenDocuments: Cache<string, Uint8Array>
  /** Where the router is mounted. */
  readonly basePath: string
  /** The service's own address; empty where none is given. @throws RegistrationError where it is none */
  baseUrl(): string
  /** What addresses begin with: the base address, if one is given, and the mount path. */
  base(): string
  /** Asked about each request that changes something. */
  readonly refuseCrossSite: CrossSiteGuard
  /** How long an action may take, in milliseconds. */
  readonly patience: number
  /** How long the asynchronous schemas of one request are waited for, in milliseconds. */
  readonly validationTimeoutMs: number
  /** Told of faults that are not the caller's. */
  readonly report: (error: unknown, context: Context | undefined) => void
}
