import { isInertType } from '../safe-serving.ts'
import { canonicalMediaType } from './canonical-media-type.ts'
import { containsScript, isText, startsWithMarkup } from './markup.ts'

/** Compares the declared type of a content with its first bytes. */
export type SignatureResult =
  | { readonly kind: 'match' }
  | { readonly kind: 'mismatch'; readonly detectedType: string | undefined }
  | { readonly kind: 'activeContent' }

/** The number of bytes at the start of a content that are read for its signature. */
export const signatureBytes = 4_100

/** Types that share a signature. */
const typeFamilies: readonly (readonly string[])[] = [
  ['image/png', 'image/apng'],
  ['image/heif', 'image/heic', 'image/heif-sequence', 'image/heic-sequence'],
  ['image/avif', 'image/heif'],
  ['audio/ogg', 'audio/opus', 'audio/vorbis', 'video/ogg', 'application/ogg'],
  ['audio/mp4', 'audio/x-m4b', 'video/mp4', 'video/x-m4v', 'video/quicktime'],
  ['video/mp4', 'video/3gpp', 'video/3gpp2', 'audio/3gpp', 'audio/3gpp2'],
  ['video/webm', 'audio/webm', 'video/matroska', 'audio/matroska'],
]
/** ZIP-based formats: their first bytes do not always differ. */
const zipTypePattern =
  /^application\/(?:zip|x-zip-compressed|java-archive|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-|android\.package-archive).*|.*\+zip)$/
const textTypePattern =
  /^(?:text\/.*|image\/svg\+xml|application\/(?:json|xml|javascript|yaml|toml|sql|x-ndjson|rtf|postscript|.*\+(?:json|xml|yaml)))$/

/**
 * Detects the canonical media type from the first bytes; undefined if they have no known signature,
 * as most text. Never throws.
 */
export async function detectMediaType(head: Uint8Array): Promise<string | undefined> {
  // Loaded with the first upload, because many services have none.
  const { fileTypeFromBuffer } = await import('file-type/core')
  const fileType = await fileTypeFromBuffer(head).catch(() => undefined)
  return fileType && canonicalMediaType(fileType.mime.split(';', 1)[0]!)
}

/**
 * Checks the first bytes of a content against its canonical media type:
 *
 * - a text type needs bytes without binary data; a signature is ignored, because short ones such as
 *   `BM` and `MZ` also start words;
 * - another type with a known signature needs this signature, and an inert type without one must
 *   not have the signature of another type;
 * - an inert type must not start with markup, and if it is binary, must not contain a script.
 */
export async function checkMediaSignature(
  head: Uint8Array,
  type: string,
): Promise<SignatureResult> {
  const detectedType = await detectMediaType(head)
  if (!(await matchesSignature(type, detectedType, head))) return { kind: 'mismatch', detectedType }
  if (!isInertType(type)) return { kind: 'match' }
  const isActive = startsWithMarkup(head) || (!textTypePattern.test(type) && containsScript(head))
  return { kind: isActive ? 'activeContent' : 'match' }
}

async function matchesSignature(
  type: string,
  detectedType: string | undefined,
  head: Uint8Array,
): Promise<boolean> {
  if (type === detectedType) return true
  if (textTypePattern.test(type)) return isText(head)
  if (detectedType !== undefined && isSameFamily(type, detectedType)) return true
  if (await hasSignature(type)) return false
  return detectedType === undefined || !isInertType(type)
}

function isSameFamily(first: string, second: string): boolean {
  return (
    (zipTypePattern.test(first) && zipTypePattern.test(second)) ||
    typeFamilies.some((family) => family.includes(first) && family.includes(second))
  )
}

async function hasSignature(type: string): Promise<boolean> {
  const { supportedMimeTypes } = await import('file-type/core')
  const supported = new Set([...supportedMimeTypes].map(canonicalMediaType))
  return (
    supported.has(type) ||
    typeFamilies.some(
      (family) => family.includes(type) && family.some((member) => supported.has(member)),
    )
  )
}
