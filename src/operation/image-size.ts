import { refusal } from '../error/api-error.ts'
import { loadSharp } from './sharp.ts'

/**
 * Refuses an image that decodes to too much, by its metadata: it is not decoded. Every frame of an animation counts, and every page.
 * What has no metadata that can be read is let through, for nothing decodes it.
 * @throws ApiError `image-too-large` with the numbers
 */
export async function refuseLargeImage(bytes: Uint8Array, maxPixels: number): Promise<void> {
  const sharp = await loadSharp()
  const found = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(() => undefined)
  if (!found) return
  const { width, height, pages: frames = 1 } = found
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
