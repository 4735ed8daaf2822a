import { formatContentDisposition } from './headers/content-disposition.ts'
import { parseMediaType } from './headers/media-type.ts'

const inertTypes = new Set([
  'application/json',
  'image/apng',
  'image/avif',
  'image/bmp',
  'image/gif',
  'image/heic',
  'image/heif',
  'image/jpeg',
  'image/jxl',
  'image/png',
  'image/tiff',
  'image/vnd.microsoft.icon',
  'image/webp',
  'image/x-icon',
  'text/csv',
  'text/plain',
])
const inertTypePrefixes = ['audio/', 'video/', 'font/']

/**
 * Whether a browser that opens bytes of this type as a page of ours can run nothing in them: known
 * raster images, sound, film, fonts and plain text. Everything else counts as active: SVG, HTML,
 * XML, PDF, scripts, archives of pages, and whatever is not known.
 */
export function isInertType(contentType: string): boolean {
  const type = parseMediaType(contentType)?.type
  return (
    type !== undefined &&
    (inertTypes.has(type) || inertTypePrefixes.some((family) => type.startsWith(family)))
  )
}

/**
 * The headers under which bytes that a user sent are served from the service's own origin. Nobody
 * guesses another type (`nosniff`); active types are saved rather than shown, and where they are
 * shown all the same, run in a sandbox without rights.
 */
export function safeContentHeaders(
  contentType: string,
  fileName?: string,
): Readonly<Record<string, string>> {
  const always = { 'content-type': contentType, 'x-content-type-options': 'nosniff' }
  if (isInertType(contentType))
    return { ...always, 'content-disposition': formatContentDisposition('inline', fileName) }
  return {
    ...always,
    'content-disposition': formatContentDisposition('attachment', fileName),
    'content-security-policy': "default-src 'none'; sandbox",
  }
}
