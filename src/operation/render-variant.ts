import { createRequire } from 'node:module'
import type { Sharp, SharpOptions } from 'sharp'
import { type ApiError, refusal } from '../error/api-error.ts'
import { shownMediaType, signatureBytes } from '../http/media-signature.ts'
import type { Variant } from '../model/description.ts'
import type { Render } from './image-variants.ts'

const mostPixels = 100_000_000
/** How long one may take, in seconds: an image can be made to be slow. */
const longest = 15
// No SVG, PDF and whatever else sharp may have been built with: those are programs rather than pictures.
const readTypes = new Set(
  ['apng', 'avif', 'gif', 'heif', 'jpeg', 'png', 'tiff', 'webp'].map((subtype) => `image/${subtype}`),
)
const options: SharpOptions = { limitInputPixels: mostPixels, failOn: 'error', pages: 1 }

/**
 * The image in another format, upright, without its metadata, and small enough for a square of the size; it is never made larger. Of an
 * animation it is the first picture. The whole original is held meanwhile.
 * @throws ApiError `unprocessable` when the bytes are at fault; whatever the original throws
 */
export const renderVariant: Render = async (original, variant) => {
  const { default: sharp } = await import('sharp')
  const bytes = await wholeOf(original)
  const shown = await shownMediaType(bytes.subarray(0, signatureBytes))
  if (shown === undefined || !readTypes.has(shown)) throw refused('its content is of no kind that is read')
  try {
    return await formed(sharp(bytes, options), variant).toBuffer()
  } catch (error) {
    const isLarge = /pixel limit/.test((error as Error).message)
    throw refused(isLarge ? `it has more than ${mostPixels} pixels` : 'it is damaged or cut off')
  }
}

export function isSharpThere(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp')
    return true
  } catch {
    return false
  }
}

function formed(image: Sharp, { format, size }: Variant): Sharp {
  // JPEG has no transparency, and what is behind it would be black.
  if (format === 'jpeg') image.flatten({ background: '#ffffff' })
  return image
    .autoOrient()
    .resize({ width: size, height: size, fit: 'inside', withoutEnlargement: true })
    .toFormat(format)
    .timeout({ seconds: longest })
}

/** An error of the original is its own: a store that is away does not make the image unreadable. */
async function wholeOf(original: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of original) parts.push(part)
  return Buffer.concat(parts)
}

function refused(why: string): ApiError {
  return refusal('unprocessable', `The image cannot be made in this form: ${why}.`)
}
