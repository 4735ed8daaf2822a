import { hash } from 'node:crypto'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { isCurrentVersion } from '../current-version.ts'

/** Follows the version in tags of a single relation. */
export const linkageTagPrefix = 'linkage.'

/**
 * The version of a relation: that of its owner, and a digest of the ids, because an inverse
 * relation changes without its owner. The owner must have a version.
 */
export function linkageVersion(owner: StoredItem, ids: readonly string[]): string {
  return `${owner.hash}.${linkageTagPrefix}${hash('sha256', ids.join('\n'), 'base64url').slice(0, 16)}`
}

/** Whether the tag is that of a representation of the owner itself, in its current version. */
export function isOwnerVersion(owner: StoredItem, tag: string): boolean {
  return isCurrentVersion(owner, tag) && !tag.startsWith(`${owner.hash}.${linkageTagPrefix}`)
}
