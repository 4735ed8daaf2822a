import { cacheBudget } from '../cache/cache-budget.ts'
import type { RouterServices } from '../pipeline/router-services.ts'

/** The caches of what a serializer writes. */
export type DocumentCaches = Pick<RouterServices, 'serializedItems' | 'itemDocuments'>

/**
 * Makes empty caches for each variant of a router: items are serialized with other fields there.
 * Those of all variants share the bytes.
 */
export function documentCaches(maxBytes: number): () => DocumentCaches {
  const budget = cacheBudget(maxBytes)
  return () => ({
    serializedItems: budget.cache(cachedSizeOf),
    itemDocuments: budget.cache(({ bytes }) => cachedSizeOf(bytes)),
  })
}

/** The bytes of an entry, with an estimate of the overhead. */
const cachedSizeOf = (text: Uint8Array): number => text.byteLength + 256
