import { createHash, hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { linkageTagPrefix } from '../operation/linkage/linkage-version.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { WholeBody } from './whole-or-stream.ts'

/**
 * The tag of an item as it is stored. The version makes it strong; without one it is the CRC32 of
 * the item's text, and weak, for two texts with one CRC32 are easily made.
 */
export function itemTag({ hash, text }: StoredItem): string {
  return hash === null ? weakTag(text) : `"${hash}"`
}

/**
 * The tag of any other representation (mapped, with fields or included items): the version, and a
 * digest of what is sent.
 */
export function representationTag(item: StoredItem, body: WholeBody): string {
  return versionedTag(item, '', body)
}

/**
 * The tag of a representation that is sent while it is written, before anybody knows what is in it:
 * another each time. It guards writes, for it begins with the version, and no answer is saved by
 * it.
 */
export function uniqueTag({ hash }: Pick<StoredItem, 'hash'>): string {
  const sole = randomBytes(12).toString('base64url')
  return hash === null ? `W/"${sole}"` : `"${hash}.${sole}"`
}

/** The same of what is told of a relation of the item: it guards no write. */
export function uniqueLinkageTag({ hash }: StoredItem): string {
  return uniqueTag({ hash: hash && `${hash}.${linkageTagPrefix.slice(0, -1)}` })
}

/** The tag of what is told of a relation of the item, other than the whole of it alone. */
export function linkageTag(owner: StoredItem, body: WholeBody): string {
  return versionedTag(owner, linkageTagPrefix, body)
}

function versionedTag(item: StoredItem, mark: string, body: WholeBody): string {
  if (item.hash === null) return weakTag(...(body.kind === 'text' ? [body.text] : body.buffers))
  return `"${item.hash}.${mark}${digestOf(body).slice(0, 16)}"`
}

function digestOf(body: WholeBody): string {
  if (body.kind === 'text') return hash('sha256', body.text, 'base64url')
  const digest = createHash('sha256')
  for (const part of body.buffers) digest.update(part)
  return digest.digest('base64url')
}

function weakTag(...parts: readonly (string | Uint8Array)[]): string {
  const checksum = parts.reduce<number>((sum, part) => crc32(part, sum), 0)
  return `W/"${checksum.toString(16).padStart(8, '0')}"`
}
