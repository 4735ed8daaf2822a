import type { ResourceField } from '../model/description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import type { SharedBlobs } from '../store/shared-blobs.ts'
import { wholeOf } from '../store/whole.ts'
import { refuseLargeImage } from './image-size.ts'
import { isSharpThere, limitImages, pictureTypes } from './sharp.ts'

/**
 * Holds an image that has arrived against the pixels that its field allows, where sharp is there to read its size. It is read back, a few at
 * a time, for the size may stand anywhere in it; and let go of where it is too large.
 * @throws ApiError `image-too-large`, or `overloaded` when too many images wait
 */
export async function checkUpload(
  blobs: SharedBlobs,
  { maxPixels }: ResourceField,
  resource: StoredResource,
  signal: AbortSignal,
): Promise<void> {
  if (maxPixels === undefined || !pictureTypes.has(resource.contentType) || !isSharpThere()) return
  const key = StoredResource.keyOf(resource)
  try {
    await limitImages('usual', signal, async () => {
      const bytes = await blobs.read(key)
      if (bytes) await refuseLargeImage(await wholeOf(bytes), maxPixels, signal)
    })
  } catch (error) {
    await blobs.drop([key])
    throw error
  }
}
