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
 * Is it safe that a browser displays content of this type on the origin of the service? True for
 * raster images, audio, video, fonts and plain text. All other types may run scripts: SVG, HTML,
 * XML, PDF, scripts, web archives and unknown types.
 */
export function isInertType(contentType: string): boolean {
  const type = parseMediaType(contentType)?.type
  return (
    type !== undefined &&
    (inertTypes.has(type) || inertTypePrefixes.some((prefix) => type.startsWith(prefix)))
  )
}

/**
 * The headers for uploaded content that is served from the origin of the service. Browsers must not
 * guess another type (`nosniff`). Content that may run scripts is downloaded, and if it is
 * displayed anyway, it runs in a sandbox.
 */
export function safeContentHeaders(
  contentType: string,
  fileName?: string,
): Readonly<Record<string, string>> {
  const headers = { 'content-type': contentType, 'x-content-type-options': 'nosniff' }
  if (isInertType(contentType))
    return { ...headers, 'content-disposition': formatContentDisposition('inline', fileName) }
  return {
    ...headers,
    'content-disposition': formatContentDisposition('attachment', fileName),
    'content-security-policy': "default-src 'none'; sandbox",
  }
}
