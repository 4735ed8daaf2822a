import type { LruCache } from '../cache/lru-cache.ts'
import type { CachedDocuments } from '../operation/operation-input.ts'
import type { ModelRule } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'

export interface DocumentCache extends CachedDocuments {
  add(version: string, text: string): Uint8Array
}

/**
 * Caches the documents of single items, for requests whose document depends on the item's version
 * alone: at the item's own address, and without a selection by the client. Serializers that send
 * raw JSON need no cache.
 */
export function documentCacheOf(
  cache: LruCache<string, Uint8Array>,
  { operation, response }: ModelRule,
): (selection: Selection) => DocumentCache | undefined {
  if (operation !== 'GetItem' || response.serializer.sendsRawJson) return () => undefined
  let isLikely = false
  const documents: DocumentCache = {
    get isHitLikely() {
      return isLikely
    },
    get(version) {
      const document = cache.get(version)
      isLikely = document !== undefined
      return document
    },
    add(version, text) {
      const document = Buffer.from(text)
      cache.set(version, document)
      return document
    },
  }
  return (selection) => (selection === defaultSelection ? documents : undefined)
}
