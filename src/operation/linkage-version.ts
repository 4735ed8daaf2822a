import { hash } from 'node:crypto'
import type { StoredItem } from '../store/stored-item.ts'

/**
 * The version of what a relation holds: that of its owner, and a digest of the identifiers, for those of an inverse relation change without
 * the owner. Only for owners that have a version.
 */
export function linkageVersion(owner: StoredItem, ids: readonly string[]): string {
  return `${owner.hash}.${hash('sha256', ids.join('\n'), 'base64url').slice(0, 16)}`
}
