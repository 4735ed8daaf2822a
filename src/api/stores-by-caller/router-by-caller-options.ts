import type { OptionChecks } from '../../model/check-options.ts'
import type { OutputOf, Schema } from '../../schema/standard-schema.ts'
import type { BlobStore } from '../../store/blob-store.ts'
import type { Store } from '../../store/store.ts'
import { type RouterOptions, routerOptions } from '../router-options.ts'

/** A store with the blob store for the files of its items. */
export interface StoreWithBlobs {
  readonly store: Store
  /** Default: none. */
  readonly blobs?: BlobStore
}

/** The options of a router over several stores, of which the caller decides. */
export interface RouterByCallerOptions<
  CallerSchema extends Schema = Schema,
  Name extends string = string,
> extends Omit<RouterOptions<CallerSchema>, 'store' | 'blobs'> {
  /**
   * The stores by their names, which `/readyz` and errors for the operator show: letters, digits,
   * `.`, `_` and `-`. Nothing leads from an item of one store to an item of another.
   */
  readonly stores: Readonly<Record<Name, Store | StoreWithBlobs>>
  /**
   * The name of the store of a caller, who is undefined for an anonymous request. Called once a
   * request, after authentication, and before the request uses a store. It must not be
   * asynchronous: what it needs belongs to the caller, which authenticators find. Undefined where
   * the caller has no store: 401 for an anonymous request if there are authenticators, else 403. An
   * error and an unknown name are 500, reported to `onError`.
   */
  readonly store: (caller: OutputOf<CallerSchema> | undefined) => NoInfer<Name> | undefined
}

const { store: _store, blobs: _blobs, ...sharedOptions } = routerOptions

/** `blobs` has a message of its own. */
export const routerByCallerOptions: OptionChecks<RouterByCallerOptions & { blobs?: unknown }> = {
  ...sharedOptions,
  stores: true,
  store: true,
  blobs: true,
}
