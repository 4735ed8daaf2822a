import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { Position, Scalar, SortKey } from './query-plan.ts'
import { type TruncatedPosition, truncatePosition } from './truncated-position.ts'

/** No cursor is longer: links with cursors stand in headers, which clients and servers bound. */
export const maxCursorLength = 1_024

/**
 * Writes and reads the cursors of pages: opaque text that holds the place of one item in one sort.
 */
export interface CursorCodec {
  /** Sealed, the values in it cannot be read: for sorts by what the client may not see. */
  encode(sort: readonly SortKey[], position: Position, sealed: boolean): string
  /**
   * Undefined when it is no cursor, or one of another sort; or where it must be sealed, and so made
   * here, and is not.
   */
  decode(sort: readonly SortKey[], cursor: string, sealed: boolean): DecodedCursor | undefined
}

export type DecodedCursor =
  | { readonly kind: 'whole'; readonly position: Position }
  | { readonly kind: 'short'; readonly short: TruncatedPosition }

/**
 * Cursors that every process with the same secret can read; without one, sealed cursors last as
 * long as the process.
 */
export function createCursorCodec(secret: string = randomBytes(32).toString('hex')): CursorCodec {
  const key = createHash('sha256').update(secret).digest()
  return {
    encode: (sort, position, sealed) => {
      const text = serializePosition(position)
      const checked = `${checksum(sort, text)}${text}`
      return sealed
        ? `s${encrypt(key, padText(checked))}`
        : `p${Buffer.from(checked).toString('base64url')}`
    },
    decode: (sort, cursor, sealed) => {
      if (sealed && !cursor.startsWith('s')) return undefined
      const text = cursor.startsWith('s')
        ? decrypt(key, cursor.slice(1))
        : cursor.startsWith('p')
          ? decodeBase64Url(cursor.slice(1))
          : undefined
      return text === undefined ? undefined : parsePosition(sort, text)
    },
  }
}

const checksumLength = 8
const paddingBytes = 128
const ivLength = 12
const tagLength = 16

/**
 * What base64url leaves of the longest cursor behind its mark, in whole paddings: also a sealed
 * cursor stays below the maximum.
 */
const maxTextBytes =
  Math.floor((((maxCursorLength - 1) * 3) / 4 - ivLength - tagLength) / paddingBytes) *
    paddingBytes -
  checksumLength
const maxValueBytes =
  maxTextBytes - Buffer.byteLength(JSON.stringify(['x'.repeat(128), 'd'.repeat(22), []]))

/**
 * A position as an array of its values; a short one as an array of the id, the digest and an array
 * of what is left of the values.
 */
function serializePosition(position: Position): string {
  const whole = JSON.stringify(position)
  if (Buffer.byteLength(whole) <= maxTextBytes) return whole
  const { id, digest, values } = truncatePosition(position, maxValueBytes)
  return JSON.stringify([id, digest, values])
}

/**
 * Binds the position to its sort, and finds mistyped cursors; it is no signature, for a position
 * gives no rights.
 */
function checksum(sort: readonly SortKey[], text: string): string {
  const keys = sort.map(({ path, direction }) => `${path.names.join('.')} ${direction}`)
  return crc32(`${keys.join(',')}\n${text}`)
    .toString(16)
    .padStart(checksumLength, '0')
}

function parsePosition(sort: readonly SortKey[], checked: string): DecodedCursor | undefined {
  const text = checked.slice(checksumLength)
  if (checked.slice(0, checksumLength) !== checksum(sort, text.trimEnd())) return undefined
  try {
    const held: unknown = JSON.parse(text)
    if (!Array.isArray(held)) return undefined
    if (held.length === 3 && Array.isArray(held[2])) return parseTruncatedPosition(held)
    return held.length === sort.length + 1 && held.every(isScalar)
      ? { kind: 'whole', position: held }
      : undefined
  } catch {
    return undefined
  }
}

function parseTruncatedPosition([id, digest, values]: readonly unknown[]):
  | DecodedCursor
  | undefined {
  const isHeld = (value: unknown) =>
    isScalar(value) || (Array.isArray(value) && value.length === 1 && typeof value[0] === 'string')
  if (typeof id !== 'string' || typeof digest !== 'string' || !(values as unknown[]).every(isHeld))
    return undefined
  return { kind: 'short', short: { id, digest, values: values as TruncatedPosition['values'] } }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value)
}

function decodeBase64Url(text: string): string | undefined {
  return /^[A-Za-z0-9_-]*$/.test(text) ? Buffer.from(text, 'base64url').toString() : undefined
}

/**
 * The length of a sealed cursor tells as little as may be of what it holds. JSON does not mind
 * blanks at its end.
 */
function padText(text: string): string {
  const bytes = Buffer.byteLength(text)
  return text + ' '.repeat(Math.ceil(bytes / paddingBytes) * paddingBytes - bytes)
}

function encrypt(key: Buffer, text: string): string {
  const iv = randomBytes(ivLength)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url')
}

function decrypt(key: Buffer, text: string): string | undefined {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.length < ivLength + tagLength) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, ivLength))
  decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength))
  try {
    return Buffer.concat([
      decipher.update(bytes.subarray(ivLength + tagLength)),
      decipher.final(),
    ]).toString('utf8')
  } catch {
    return undefined
  }
}
