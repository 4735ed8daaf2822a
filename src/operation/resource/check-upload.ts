import type { ResourceField } from '../../model/model-description.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { concatChunks } from '../../store/blobs/concat-chunks.ts'
import type { SharedBlobs } from '../../store/blobs/shared-blobs.ts'
import { refuseLargeImage } from './image-size.ts'
import { imageMediaTypes, isSharpInstalled, limitImages } from './sharp.ts'

/**
 * Holds an image that has arrived against the pixels that its field allows, where sharp is there to
 * read its size. It is read back, a few at a time, for the size may stand anywhere in it; and let
 * go of where it is too large.
 * @throws ApiError `image-too-large`, or `overloaded` when too many images wait
 */
export async function checkUpload(
  blobs: SharedBlobs,
  { maxPixels }: ResourceField,
  resource: StoredResource,
  signal: AbortSignal,
): Promise<void> {
  if (maxPixels === undefined || !imageMediaTypes.has(resource.contentType) || !isSharpInstalled())
    return
  const key = StoredResource.blobKeyOf(resource)
  try {
    await limitImages('usual', signal, async () => {
      const bytes = await blobs.read(key)
      if (bytes) await refuseLargeImage(await concatChunks(bytes), maxPixels, signal)
    })
  } catch (error) {
    await blobs.deleteUnreferenced([key])
    throw error
  }
}
