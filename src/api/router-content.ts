import type { AnyModel } from '../model/declare/model.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { PlanOptions, Store } from '../store/store.ts'
import type { Router } from './router.ts'
import { findStoreRouters } from './stores-by-caller/store-routers.ts'

/** What a router serves, for commands that copy it or plan its start. */
export interface RouterContent {
  readonly store: Store
  readonly blobs: BlobStore | undefined
  /**
   * What the store keeps besides items: results of requests that are sent again, and changes.
   * @throws RegistrationError if a registration is invalid
   */
  kept(): Required<PlanOptions>
  /** The models that are registered so far. */
  readonly models: readonly AnyModel[]
  /**
   * The models that the store is opened with.
   * @throws RegistrationError if a registration is invalid
   */
  storedModels(): readonly ModelDescription[]
}

const readers = new WeakMap<Router, () => RouterContent>()

/** Makes the content of a router known to {@link contentOf}. */
export function noteContent(router: Router, read: () => RouterContent): void {
  readers.set(router, read)
}

/** Undefined if another copy of the package created the router. */
export function findContent(router: Router): RouterContent | undefined {
  return readers.get(router)?.()
}

/**
 * What a router serves: its store, its blob store and its models.
 *
 * ```ts
 * await copyItems(contentOf(router), { store: memory() }, { models: [Author, Genre, Book] })
 * ```
 *
 * @throws Error if the router has several stores, or another copy of the package created it
 */
export function contentOf(router: Router): RouterContent {
  const content = findContent(router)
  if (content) return content
  if (findStoreRouters(router))
    throw new Error(
      'The router has several stores, of which each has data of its own. Export a router with one of them: createRouter({ store, … }).',
    )
  throw new Error(
    "The router was created by another copy of resourcery. Run the command of the same project, with 'npx resourcery'.",
  )
}
