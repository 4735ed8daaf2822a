import { withTimeout } from '../../concurrency/with-timeout.ts'
import { type ApiError, createApiError } from '../../error/api-error.ts'
import { detectMediaType, signatureBytes } from '../../http/upload/media-signature.ts'
import { concatChunks } from '../../store/blobs/concat-chunks.ts'
import { runImageTask } from './image-process-pool.ts'
import { checkImageSize } from './image-size.ts'
import type { VariantRenderer } from './image-variants.ts'
import { imageMediaTypes } from './sharp.ts'

/**
 * The image in another format, upright, without its metadata, and small enough for a square of the
 * size; it is never made larger. Of an animation it is the first picture. The whole original is
 * held meanwhile.
 * @throws ApiError `unprocessable` when the bytes are at fault, `image-too-large` before they are
 * decoded; the reason of the signal; whatever the original throws
 */
export const renderVariant: VariantRenderer = async (original, variant, maxPixels, signal) => {
  // An error of the original is its own: a store that is away does not make the image unreadable.
  const bytes = await withTimeout(concatChunks(original), { signal })
  const shown = await detectMediaType(bytes.subarray(0, signatureBytes))
  if (shown === undefined || !imageMediaTypes.has(shown))
    throw unprocessableImage('its content is of no kind that is read')
  const { size, image } = await runImageTask({ variant, maxPixels }, bytes, {
    signal,
    timeoutError: tooSlow,
  })
  checkImageSize(size, maxPixels)
  if (!image) throw unprocessableImage('it is damaged or cut off')
  return image
}

function tooSlow(): ApiError {
  return unprocessableImage('it takes too long')
}

function unprocessableImage(why: string): ApiError {
  return createApiError('unprocessable', `The image cannot be made in this form: ${why}.`)
}
