import { hash } from 'node:crypto'
import { bodyOf } from './create-stored-item.ts'
import type { StoredItem } from './stored-item.ts'

/**
 * A hash of the content that clients see, without hidden members. It is the same on every store:
 * revisions and versions do not change on each of them.
 */
export function contentHash(item: StoredItem): string {
  const content = JSON.stringify([item.relationsOffset, bodyOf(item)])
  return hash('sha256', content, 'base64url')
}
