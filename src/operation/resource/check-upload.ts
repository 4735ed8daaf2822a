import type { ErrorCode } from '../../error/catalog.ts'
import type { ResourceField } from '../../model/resource-field.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { concatChunks } from '../../store/blobs/chunks.ts'
import type { SharedBlobs } from '../../store/blobs/shared-blobs.ts'
import { imageLimitErrors, limitImages } from './image-limits.ts'
import { imageSizeErrors, refuseLargeImage } from './image-size.ts'
import { imageMediaTypes, isSharpInstalled } from './sharp.ts'

export const checkUploadErrors: readonly ErrorCode[] = [...imageSizeErrors, ...imageLimitErrors]

/**
 * Checks the pixels of an uploaded image, if sharp is installed to read its size. The image is read
 * back from the blob store, because the size may stand anywhere in it. An image that is too large
 * is deleted.
 * @throws ApiError `image-too-large`, or `overloaded` when too many images are queued
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
    await limitImages('shared', signal, async () => {
      const bytes = await blobs.read(key)
      if (bytes) await refuseLargeImage(await concatChunks(bytes), maxPixels, signal)
    })
  } catch (error) {
    await blobs.deleteUnreferenced([key])
    throw error
  }
}
