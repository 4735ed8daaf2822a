import type { Sharp } from 'sharp'
import { type ApiError, refusal } from '../error/api-error.ts'
import { shownMediaType, signatureBytes } from '../http/media-signature.ts'
import type { Variant } from '../model/description.ts'
import { wholeOf } from '../store/whole.ts'
import { refuseLargeImage } from './image-size.ts'
import type { Render } from './image-variants.ts'
import { loadSharp, pictureTypes } from './sharp.ts'

/** How long one may take, in seconds: an image can be made to be slow. */
const longest = 15

/**
 * The image in another format, upright, without its metadata, and small enough for a square of the size; it is never made larger. Of an
 * animation it is the first picture. The whole original is held meanwhile.
 * @throws ApiError `unprocessable` when the bytes are at fault, `image-too-large` before they are decoded; whatever the original throws
 */
export const renderVariant: Render = async (original, variant, maxPixels) => {
  const sharp = await loadSharp()
  // An error of the original is its own: a store that is away does not make the image unreadable.
  const bytes = await wholeOf(original)
  const shown = await shownMediaType(bytes.subarray(0, signatureBytes))
  if (shown === undefined || !pictureTypes.has(shown)) throw refused('its content is of no kind that is read')
  await refuseLargeImage(bytes, maxPixels)
  try {
    return await formed(sharp(bytes, { limitInputPixels: maxPixels, failOn: 'error', pages: 1 }), variant).toBuffer()
  } catch {
    throw refused('it is damaged or cut off')
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

function refused(why: string): ApiError {
  return refusal('unprocessable', `The image cannot be made in this form: ${why}.`)
}
