import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A key as its holder sends it: `shop_1f0c2a9b84de_` and 256 random bits in base64url. */
interface NewApiKey {
  readonly key: string
  /** The visible beginning, by which the key is found. */
  readonly start: string
  readonly digest: string
}

const startBytes = 6
const secretBytes = 32

const keyPattern = /^([a-z][a-z0-9]{0,31}_[0-9a-f]{12})_[\w-]{43}$/

/** @param prefix lower-case letters and digits, for people and for scanners of secrets */
export function createApiKey(prefix: string): NewApiKey {
  const start = `${prefix}_${randomBytes(startBytes).toString('hex')}`
  const key = `${start}_${randomBytes(secretBytes).toString('base64url')}`
  return { key, start, digest: digestOf(key) }
}

/** The visible beginning of an API key; undefined for any other token. */
export function startOf(token: string): string | undefined {
  return keyPattern.exec(token)?.[1]
}

/** The secret has 256 random bits, so that no slow hash is needed. */
function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** In constant time; false without a digest. */
export function hasDigest(key: string, digest: string | null | undefined): boolean {
  const expected = Buffer.from(digest ?? '', 'hex')
  const actual = Buffer.from(digestOf(key), 'hex')
  return expected.length === actual.length && timingSafeEqual(expected, actual)
}
