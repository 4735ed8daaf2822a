import type { ServiceDependency } from '../../adapter/service.ts'
import type { Context } from '../../context/context.ts'
import type { KnownCallerHandler } from '../../pipeline/known-caller.ts'
import type { OutputOf, Schema } from '../../schema/standard-schema.ts'
import { StoreUnavailable } from '../../store/store-failures.ts'
import type { Router } from '../router.ts'
import type { RouterOptions } from '../router-options.ts'
import { type RunningCode, routerOverStore } from '../router-over-store.ts'
import { defaultMaxCacheBytes } from '../router-settings.ts'
import { progressLines } from '../start-progress.ts'
import type { NamedStore } from './check-stores.ts'
import { withStoreName, withStoreOfWork } from './name-store.ts'

/** The router over one of several stores. */
export interface StoreRouter<Caller = unknown> {
  readonly name: string
  readonly router: Router<Caller>
  /** Stands for the store in the contexts of its requests. */
  readonly choice: object
  /** Handles a request of a caller of this store. It never rejects. */
  readonly handle: KnownCallerHandler
  /** The store with its blob store, for health checks: one of several is enough. */
  readonly dependency: ServiceDependency
  readonly code: RunningCode
}

/**
 * @param shared the options of all stores
 * @param storeCount how many stores share the bytes of caches
 * @param onError of the whole router
 */
export function storeRouter<S extends Schema>(
  shared: Omit<RouterOptions<S>, 'store' | 'blobs'>,
  { name, store, blobs }: NamedStore,
  storeCount: number,
  onError: (error: unknown, context: Context | undefined) => void,
): StoreRouter<OutputOf<S>> {
  const { maxCacheBytes = defaultMaxCacheBytes } = shared
  const onProgress = shared.onProgress ?? progressLines({ print: console.error })
  const choice = { kind: 'store', name } as const
  const { router, opening, code, encodeError } = routerOverStore<S>(
    {
      ...shared,
      store,
      ...(blobs && { blobs }),
      maxCacheBytes: Math.floor(maxCacheBytes / storeCount),
      onError: (error, context) =>
        onError(context ? withStoreName(name, error) : withStoreOfWork(name, error), context),
      onProgress: (progress) => onProgress({ ...progress, step: `${name}: ${progress.step}` }),
    },
    choice,
  )
  return {
    name,
    choice,
    router,
    code,
    handle: async (request, known) => {
      try {
        const { handleKnown } = await opening.open()
        return await handleKnown(request, known)
      } catch (error) {
        return encodeError(error, request)
      }
    },
    dependency: {
      name,
      group: 'stores',
      describe: async () => store.admin?.describe?.(),
      check: async (signal) => {
        try {
          if (!opening.isOpen()) throw new StoreUnavailable('It is not open.')
          for (const { check } of router.dependencies ?? []) await check(signal)
        } catch (error) {
          throw withStoreName(name, error)
        }
      },
    },
  }
}
