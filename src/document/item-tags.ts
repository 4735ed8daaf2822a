import { createHash, hash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { linkageTagPrefix } from '../operation/linkage/linkage-version.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { WholeBody } from './whole-or-stream.ts'

/**
 * The tag of an item as it is stored: strong with a version. Without one it is the CRC32 of the
 * text, and weak, because two texts with the same CRC32 are easy to find.
 */
export function itemTag({ hash, text }: StoredItem): string {
  return hash === null ? weakTag(text) : `"${hash}"`
}

/**
 * The tag of any other representation (mapped, with fields or included items): the version, and a
 * digest of the document.
 */
export function representationTag(item: StoredItem, body: WholeBody): string {
  return versionedTag(item, '', body)
}

/**
 * A new tag for a representation that is sent while it is written, so its content is not known yet.
 * It guards writes, because it begins with the version, but never matches `If-None-Match`.
 */
export function uniqueTag({ hash }: Pick<StoredItem, 'hash'>): string {
  const nonce = randomBytes(12).toString('base64url')
  return hash === null ? `W/"${nonce}"` : `"${hash}.${nonce}"`
}

/** Like `uniqueTag`, for the linkage of a relation. It guards no writes. */
export function uniqueLinkageTag({ hash }: StoredItem): string {
  return uniqueTag({ hash: hash && `${hash}.${linkageTagPrefix.slice(0, -1)}` })
}

/** The tag of a linkage that is not the plain list of all ids. */
export function linkageTag(owner: StoredItem, body: WholeBody): string {
  return versionedTag(owner, linkageTagPrefix, body)
}

function versionedTag(item: StoredItem, prefix: string, body: WholeBody): string {
  if (item.hash === null) return weakTag(...(body.kind === 'text' ? [body.text] : body.buffers))
  return `"${item.hash}.${prefix}${digestOf(body).slice(0, 16)}"`
}

function digestOf(body: WholeBody): string {
  if (body.kind === 'text') return hash('sha256', body.text, 'base64url')
  const digest = createHash('sha256')
  for (const buffer of body.buffers) digest.update(buffer)
  return digest.digest('base64url')
}

function weakTag(...pieces: readonly (string | Uint8Array)[]): string {
  const checksum = pieces.reduce<number>((sum, piece) => crc32(piece, sum), 0)
  return `W/"${checksum.toString(16).padStart(8, '0')}"`
}
