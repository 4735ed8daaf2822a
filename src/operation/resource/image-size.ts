import type { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { runImageTask } from './image-process-pool.ts'
import type { ImageSize } from './image-task.ts'

export const imageSizeErrors = ['image-too-large', 'unprocessable'] as const

const { createApiError } = refusalsOf(imageSizeErrors)

/**
 * Refuses an image that decodes to too many pixels. It reads the metadata only.
 * @throws ApiError `image-too-large` with the numbers; the reason of the signal
 */
export async function refuseLargeImage(
  bytes: Uint8Array,
  maxPixels: number,
  signal: AbortSignal,
): Promise<void> {
  const { size } = await runImageTask({ variant: undefined, maxPixels }, bytes, {
    signal,
    timeoutError: tooSlow,
  })
  checkImageSize(size, maxPixels)
}

/**
 * Every frame of an animation counts, and every page. An image without readable metadata passes,
 * because nothing decodes it.
 * @throws ApiError `image-too-large` with the numbers
 */
export function checkImageSize(size: ImageSize | undefined, maxPixels: number): void {
  if (!size) return
  const { width, height, frames } = size
  const pixels = width * height * frames
  if (pixels <= maxPixels) return
  const perFrame = frames === 1 ? '' : ` in each of ${frames} frames`
  throw createApiError(
    'image-too-large',
    `The image has ${width} x ${height} pixels${perFrame}, ${pixels} in all; expected at most ${maxPixels}.`,
    undefined,
    { meta: { limit: maxPixels, width, height, frames } },
  )
}

function tooSlow(): ApiError {
  return createApiError('unprocessable', 'Timed out reading the image size.')
}
