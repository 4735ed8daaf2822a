import type { LruCache } from '../cache/lru-cache.ts'
import { operations } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'

/** The document of an item, and the version of the item that it shows. */
export interface CachedDocument {
  readonly version: string
  readonly bytes: Uint8Array
}

/** The documents of a model's items at their own addresses, by the id of the item. */
export interface DocumentCache {
  get(id: string): CachedDocument | undefined
  set(id: string, document: CachedDocument): void
}

/**
 * Caches documents of single items for requests whose document depends on the item alone: at the
 * item's own address, and without a selection by the client. Serializers that send raw JSON need no
 * cache.
 * @param cache the documents of all models
 */
export function documentCacheOf(
  cache: LruCache<string, CachedDocument>,
  { operation, response, view }: ModelRule,
): (selection: Selection) => DocumentCache | undefined {
  if (operations[operation].shows !== 'item' || response.serializer.sendsRawJson)
    return () => undefined
  const keyPrefix = `${response.serializer.mediaType} ${view.model.plural}/`
  const documents: DocumentCache = {
    get: (id) => cache.get(keyPrefix + id),
    set: (id, document) => cache.set(keyPrefix + id, document),
  }
  return (selection) => (selection === defaultSelection ? documents : undefined)
}
