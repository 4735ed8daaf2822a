import type { LruCache } from '../cache/lru-cache.ts'
import type { CachedDocuments } from '../operation/operation-input.ts'
import type { ModelRule } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'

export interface DocumentCache extends CachedDocuments {
  add(version: string, text: string): Uint8Array
}

/**
 * The documents of single items that were sent before, where the item's version says all of what is
 * in them: not where the client chose what is in them, nor what lies at another address than the
 * item's own. Texts that are stored go out faster as they are.
 */
export function documentCacheOf(
  kept: LruCache<string, Uint8Array>,
  { operation, response }: ModelRule,
): (selection: Selection) => DocumentCache | undefined {
  if (operation !== 'GetItem' || response.serializer.sendsRawJson) return () => undefined
  let isLikely = false
  const documents: DocumentCache = {
    get isHitLikely() {
      return isLikely
    },
    get(version) {
      const found = kept.get(version)
      isLikely = found !== undefined
      return found
    },
    add(version, text) {
      const document = Buffer.from(text)
      kept.set(version, document)
      return document
    },
  }
  return (selection) => (selection === defaultSelection ? documents : undefined)
}
