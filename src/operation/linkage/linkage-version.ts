import { hash } from 'node:crypto'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { isCurrentVersion } from '../preconditions.ts'

/** What follows the version in tags that are about a relation alone. */
export const linkageTagPrefix = 'linkage.'

/**
 * The version of what a relation holds: that of its owner, and a digest of the identifiers, for
 * those of an inverse relation change without the owner. Only for owners that have a version.
 */
export function linkageVersion(owner: StoredItem, ids: readonly string[]): string {
  return `${owner.hash}.${linkageTagPrefix}${hash('sha256', ids.join('\n'), 'base64url').slice(0, 16)}`
}

/** Is this the tag of a representation of the owner itself, in its current version? */
export function isOwnerVersion(owner: StoredItem, tag: string): boolean {
  return isCurrentVersion(owner, tag) && !tag.startsWith(`${owner.hash}.${linkageTagPrefix}`)
}
