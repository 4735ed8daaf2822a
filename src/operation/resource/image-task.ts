import type { Variant } from '../../model/resource-field.ts'

/**
 * What to do with an image. Its size is always read; a variant is made if it has at most
 * `maxPixels`.
 */
export interface ImageTask {
  readonly variant: Variant | undefined
  readonly maxPixels: number
}

export interface ImageResult {
  /** Undefined if the image has no readable metadata. */
  readonly size: ImageSize | undefined
  /** Undefined if it cannot be made. */
  readonly image: Uint8Array | undefined
}

export interface ImageSize {
  readonly width: number
  readonly height: number
  readonly frames: number
}
