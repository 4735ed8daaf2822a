import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { aesNonceBytes, aesTagBytes, decryptText, encryptText } from '../crypto/aes-gcm.ts'
import type { Position, Scalar, SortKey } from './query-plan.ts'
import { isRelevance } from './sort-keys.ts'
import { type TruncatedPosition, truncatePosition } from './truncated-position.ts'

/** Cursors are part of links in headers, whose length clients and servers limit. */
export const maxCursorLength = 1_024

/** Encodes and decodes page cursors: opaque strings with the position of one item in one sort. */
export interface CursorCodec {
  /** @param encrypted for sorts by fields that the client may not see */
  encode(sort: readonly SortKey[], position: Position, encrypted: boolean): string
  /**
   * Undefined if the text is no cursor, or a cursor of another sort.
   * @param encrypted refuses cursors that are not encrypted: anybody could have written them
   */
  decode(sort: readonly SortKey[], cursor: string, encrypted: boolean): DecodedCursor | undefined
}

export type DecodedCursor =
  | { readonly kind: 'whole'; readonly position: Position }
  | { readonly kind: 'truncated'; readonly truncated: TruncatedPosition }

/**
 * Every process with the same secret can decode the cursors.
 * @param storeName where a router has several stores; a cursor of another one is no cursor
 */
export function createCursorCodec(secret: string, storeName?: string): CursorCodec {
  const checksum = checksumOf(storeName === undefined ? '' : `${storeName}\n`)
  const key = createHash('sha256').update(secret).digest()
  return {
    encode: (sort, position, encrypted) => {
      const json = serializePosition(position)
      const text = `${checksum(sort, json)}${json}`
      return encrypted
        ? `s${encrypt(key, padText(text))}`
        : `p${Buffer.from(text).toString('base64url')}`
    },
    decode: (sort, cursor, encrypted) => {
      if (encrypted && !cursor.startsWith('s')) return undefined
      const text = cursor.startsWith('s')
        ? decrypt(key, cursor.slice(1))
        : cursor.startsWith('p')
          ? decodeBase64Url(cursor.slice(1))
          : undefined
      return text === undefined ? undefined : parsePosition(sort, text, checksum)
    },
  }
}

const checksumLength = 8
const paddingBytes = 128

/**
 * How long the text of a cursor may be, so that also the longest encrypted cursor, in base64url and
 * behind its prefix, stays below the maximum.
 */
const maxTextBytes =
  Math.floor((((maxCursorLength - 1) * 3) / 4 - aesNonceBytes - aesTagBytes) / paddingBytes) *
    paddingBytes -
  checksumLength
const maxValueBytes =
  maxTextBytes - Buffer.byteLength(JSON.stringify(['x'.repeat(128), 'd'.repeat(22), []]))

/** The position as a JSON array; a truncated position as an array of id, digest and values. */
function serializePosition(position: Position): string {
  const whole = JSON.stringify(position)
  if (Buffer.byteLength(whole) <= maxTextBytes) return whole
  const { id, digest, values } = truncatePosition(position, maxValueBytes)
  return JSON.stringify([id, digest, values])
}

/**
 * Binds the position to its sort, and detects mistyped cursors. It is no signature: a position
 * gives no access to anything.
 */
function checksumOf(prefix: string): Checksum {
  return (sort, json) => {
    const keys = sort.map((key) => `${nameOf(key)} ${key.direction}`)
    return crc32(`${prefix}${keys.join(',')}\n${json}`)
      .toString(16)
      .padStart(checksumLength, '0')
  }
}

type Checksum = (sort: readonly SortKey[], json: string) => string

function nameOf(key: SortKey): string {
  return isRelevance(key) ? JSON.stringify(key.search.terms) : key.path.names.join('.')
}

function parsePosition(
  sort: readonly SortKey[],
  text: string,
  checksum: Checksum,
): DecodedCursor | undefined {
  const json = text.slice(checksumLength)
  if (text.slice(0, checksumLength) !== checksum(sort, json.trimEnd())) return undefined
  try {
    const values: unknown = JSON.parse(json)
    if (!Array.isArray(values)) return undefined
    if (values.length === 3 && Array.isArray(values[2])) return parseTruncatedPosition(values)
    return values.length === sort.length + 1 && values.every(isScalar)
      ? { kind: 'whole', position: values }
      : undefined
  } catch {
    return undefined
  }
}

function parseTruncatedPosition([id, digest, values]: readonly unknown[]):
  | DecodedCursor
  | undefined {
  const isScalarOrPrefix = (value: unknown) =>
    isScalar(value) || (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string')
  if (
    typeof id !== 'string' ||
    typeof digest !== 'string' ||
    !(values as unknown[]).every(isScalarOrPrefix)
  )
    return undefined
  const truncated = { id, digest, values: values as TruncatedPosition['values'] }
  return { kind: 'truncated', truncated }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function decodeBase64Url(text: string): string | undefined {
  return /^[A-Za-z0-9_-]*$/.test(text) ? Buffer.from(text, 'base64url').toString() : undefined
}

/**
 * Pads the text, so that the length of an encrypted cursor reveals little of its values. A JSON
 * parser ignores the spaces.
 */
function padText(text: string): string {
  const bytes = Buffer.byteLength(text)
  return text + ' '.repeat(Math.ceil(bytes / paddingBytes) * paddingBytes - bytes)
}

function encrypt(key: Buffer, text: string): string {
  const nonce = randomBytes(aesNonceBytes)
  return Buffer.concat([nonce, encryptText(key, nonce, text)]).toString('base64url')
}

function decrypt(key: Buffer, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url')
  return decryptText(key, bytes.subarray(0, aesNonceBytes), bytes.subarray(aesNonceBytes))
}
