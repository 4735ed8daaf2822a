import { hash } from 'node:crypto'
import type { StoredItem } from '../store/stored-item.ts'

/**
 * The version of what a relation holds: that of its owner, and a digest of the identifiers, for those of an inverse relation change without
 * the owner. Only for owners that have a version.
 */
export function linkageVersion(owner: StoredItem, items: readonly { readonly id: string }[]): string {
  const ids = items.map((item) => item.id).join('\n')
  return `${owner.hash}.${hash('sha256', ids, 'base64url').slice(0, 16)}`
}
