import { isInertType } from '../safe-serving.ts'
import { canonicalMediaType } from './canonical-media-type.ts'
import { containsScript, isText, startsWithMarkup } from './markup.ts'

/** What the first bytes of a content say about the type it is declared as. */
export type SignatureResult =
  | { readonly kind: 'agrees' }
  /** `shown` is the type that the bytes show, if any. */
  | { readonly kind: 'differs'; readonly detectedType: string | undefined }
  | { readonly kind: 'active' }

/** How many first bytes decide. */
export const signatureBytes = 4_100

/** Types (by their usual names) that share the signature by which they are known. */
const typeFamilies: readonly (readonly string[])[] = [
  ['image/png', 'image/apng'],
  ['image/heif', 'image/heic', 'image/heif-sequence', 'image/heic-sequence'],
  ['image/avif', 'image/heif'],
  ['audio/ogg', 'audio/opus', 'audio/vorbis', 'video/ogg', 'application/ogg'],
  ['audio/mp4', 'audio/x-m4b', 'video/mp4', 'video/x-m4v', 'video/quicktime'],
  ['video/mp4', 'video/3gpp', 'video/3gpp2', 'audio/3gpp', 'audio/3gpp2'],
  ['video/webm', 'audio/webm', 'video/matroska', 'audio/matroska'],
]
/** Formats that are archives inside: the first bytes do not always tell which. */
const zipTypePattern =
  /^application\/(?:zip|x-zip-compressed|java-archive|vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|ms-|android\.package-archive).*|.*\+zip)$/
const textTypePattern =
  /^(?:text\/.*|image\/svg\+xml|application\/(?:json|xml|javascript|yaml|toml|sql|x-ndjson|rtf|postscript|.*\+(?:json|xml|yaml)))$/

/**
 * The media type that the first bytes of a content show, by its usual name; undefined where they
 * show none, as of most text. Never throws.
 */
export async function detectMediaType(head: Uint8Array): Promise<string | undefined> {
  // Loaded with the first upload: a service without any need not know it.
  const { fileTypeFromBuffer } = await import('file-type/core')
  const found = await fileTypeFromBuffer(head).catch(() => undefined)
  return found && canonicalMediaType(found.mime.split(';', 1)[0]!)
}

/**
 * Whether content may be kept as this type (by its usual name, without parameters), by its first
 * bytes:
 *
 * - text has to be text, but for short signatures that also begin words (`BM`, `MZ`) nothing more
 *   is asked of it;
 * - any other type that is known by a signature has to show it, and what is shown inline has to
 *   show no other;
 * - what is shown inline must neither begin as markup nor, if it is no text, hold a script.
 */
export async function checkMediaSignature(
  head: Uint8Array,
  type: string,
): Promise<SignatureResult> {
  const shown = await detectMediaType(head)
  if (!(await matchesSignature(type, shown, head))) return { kind: 'differs', detectedType: shown }
  if (!isInertType(type)) return { kind: 'agrees' }
  const active = startsWithMarkup(head) || (!textTypePattern.test(type) && containsScript(head))
  return { kind: active ? 'active' : 'agrees' }
}

async function matchesSignature(
  type: string,
  shown: string | undefined,
  head: Uint8Array,
): Promise<boolean> {
  if (type === shown) return true
  if (textTypePattern.test(type)) return isText(head)
  if (shown !== undefined && isSameFamily(type, shown)) return true
  if (await hasSignature(type)) return false
  return shown === undefined || !isInertType(type)
}

function isSameFamily(one: string, other: string): boolean {
  return (
    (zipTypePattern.test(one) && zipTypePattern.test(other)) ||
    typeFamilies.some((family) => family.includes(one) && family.includes(other))
  )
}

async function hasSignature(type: string): Promise<boolean> {
  const { supportedMimeTypes } = await import('file-type/core')
  const known = new Set([...supportedMimeTypes].map(canonicalMediaType))
  return (
    known.has(type) ||
    typeFamilies.some((family) => family.includes(type) && family.some((one) => known.has(one)))
  )
}
