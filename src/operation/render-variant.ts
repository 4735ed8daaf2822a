import { type ApiError, refusal } from '../error/api-error.ts'
import { shownMediaType, signatureBytes } from '../http/media-signature.ts'
import { wholeOf } from '../store/whole.ts'
import { askImageProcess } from './image-processes.ts'
import { refuseLarger } from './image-size.ts'
import type { Render } from './image-variants.ts'
import { pictureTypes } from './sharp.ts'
import { withinTime } from './within-time.ts'

/**
 * The image in another format, upright, without its metadata, and small enough for a square of the size; it is never made larger. Of an
 * animation it is the first picture. The whole original is held meanwhile.
 * @throws ApiError `unprocessable` when the bytes are at fault, `image-too-large` before they are decoded; the reason of the signal; whatever
 * the original throws
 */
export const renderVariant: Render = async (original, variant, maxPixels, signal) => {
  // An error of the original is its own: a store that is away does not make the image unreadable.
  const bytes = await withinTime(wholeOf(original), { signal })
  const shown = await shownMediaType(bytes.subarray(0, signatureBytes))
  if (shown === undefined || !pictureTypes.has(shown)) throw refused('its content is of no kind that is read')
  const { size, made } = await askImageProcess({ variant, maxPixels }, bytes, { signal, late: tooSlow })
  refuseLarger(size, maxPixels)
  if (!made) throw refused('it is damaged or cut off')
  return made
}

function tooSlow(): ApiError {
  return refused('it takes too long')
}

function refused(why: string): ApiError {
  return refusal('unprocessable', `The image cannot be made in this form: ${why}.`)
}
