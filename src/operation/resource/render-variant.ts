import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { detectMediaType, signatureBytes } from '../../http/upload/media-signature.ts'
import { concatChunks } from '../../store/blobs/chunks.ts'
import { runImageTask } from './image-process-pool.ts'
import { checkImageSize, imageSizeErrors } from './image-size.ts'
import type { VariantRenderer } from './image-variants.ts'
import { imageMediaTypes } from './sharp.ts'

const ownErrors = ['unprocessable'] as const

export const renderVariantErrors: readonly ErrorCode[] = [...ownErrors, ...imageSizeErrors]

const { createApiError } = refusalsOf(ownErrors)

/**
 * The image in another format, upright, without metadata, and small enough for a square of the
 * size; never enlarged. Of an animation, the first frame. The whole original is in memory
 * meanwhile.
 * @throws ApiError `unprocessable` if the bytes are at fault, `image-too-large` before they are
 * decoded; the reason of the signal; errors of the original's stream
 */
export const renderVariant: VariantRenderer = async (original, variant, maxPixels, signal) => {
  // Errors of the stream pass through: an unavailable store does not make the image unprocessable.
  const bytes = await withTimeout(concatChunks(original), { waiter: { signal } })
  const detectedType = await detectMediaType(bytes.subarray(0, signatureBytes))
  if (detectedType === undefined || !imageMediaTypes.has(detectedType))
    throw unprocessableImage('unsupported image format')
  const { size, image } = await runImageTask({ variant, maxPixels }, bytes, {
    signal,
    timeoutError: tooSlow,
  })
  checkImageSize(size, maxPixels)
  if (!image) throw unprocessableImage('the file is damaged or truncated')
  return image
}

function tooSlow(): ApiError {
  return unprocessableImage('the conversion timed out')
}

function unprocessableImage(reason: string): ApiError {
  return createApiError('unprocessable', `The image cannot be converted: ${reason}.`)
}
