import { hash } from 'node:crypto'
import { bodyOf } from './create-stored-item.ts'
import type { StoredItem } from './stored-item.ts'

/**
 * A hash of what {@link hasSameContent} compares, of the model as it is. It is the same on every
 * store: revisions and versions do not change on each of them.
 */
export function contentHash(item: StoredItem): string {
  const content = JSON.stringify([item.relationsOffset, item.hiddenText, bodyOf(item)])
  return hash('sha256', content, 'base64url')
}
