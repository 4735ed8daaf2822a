import { type ApiError, refusal } from '../error/api-error.ts'
import { askImageProcess } from './image-processes.ts'
import type { ImageSize } from './image-task.ts'

/**
 * Refuses an image that decodes to too much, by its metadata: it is not decoded.
 * @throws ApiError `image-too-large` with the numbers; the reason of the signal
 */
export async function refuseLargeImage(bytes: Uint8Array, maxPixels: number, signal: AbortSignal): Promise<void> {
  const { size } = await askImageProcess({ variant: undefined, maxPixels }, bytes, { signal, late: tooSlow })
  refuseLarger(size, maxPixels)
}

/**
 * Every frame of an animation counts, and every page. What has no metadata that can be read is let through, for nothing decodes it.
 * @throws ApiError `image-too-large` with the numbers
 */
export function refuseLarger(size: ImageSize | undefined, maxPixels: number): void {
  if (!size) return
  const { width, height, frames } = size
  const pixels = width * height * frames
  if (pixels <= maxPixels) return
  const of = frames === 1 ? '' : ` in each of ${frames} frames`
  throw refusal(
    'image-too-large',
    `The image has ${width} x ${height} pixels${of}, ${pixels} in all; expected at most ${maxPixels}.`,
    undefined,
    { meta: { limit: maxPixels, width, height, frames } },
  )
}

function tooSlow(): ApiError {
  return refusal('unprocessable', 'To read the size of the image takes too long.')
}
