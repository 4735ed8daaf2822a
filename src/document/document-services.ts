import type { LruCache } from '../cache/lru-cache.ts'
import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { Mapper } from '../mapper/mapper.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelViews } from '../model/model-view.ts'
import type { CursorCodec } from '../query/cursor-codec.ts'
import type { PolicyLimits } from '../rule/router-limits.ts'
import type { Store } from '../store/store.ts'
import type { CachedDocument } from './document-cache.ts'

/** What the documents of one router share. */
export interface DocumentServices {
  /** As callers see it. */
  readonly store: Store
  readonly views: ModelViews
  readonly guards: Guards
  readonly mappers: ReadonlyMap<ModelDescription, readonly Mapper[]>
  readonly limits: PolicyLimits
  readonly cursorCodec: CursorCodec
  /** Items as the serializer writes them, with the separator before them, by model and version. */
  readonly serializedItems: LruCache<string, Uint8Array>
  /** Documents of single items, see `documentCacheOf`. */
  readonly itemDocuments: LruCache<string, CachedDocument>
  /** The base URL, if configured, and the mount path. */
  urlPrefix(): string
  /** Called with errors that are not the client's fault. */
  readonly onError: (error: unknown, context: Context | undefined) => void
}
