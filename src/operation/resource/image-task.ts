import type { Variant } from '../../model/model-description.ts'

/**
 * What is to be made of an image, if anything: its size is always read. Nothing is made of more
 * than `maxPixels`.
 */
export interface ImageTask {
  readonly variant: Variant | undefined
  readonly maxPixels: number
}

export interface ImageResult {
  /** Undefined where the image has no metadata that can be read. */
  readonly size: ImageSize | undefined
  /** Undefined where it cannot be made. */
  readonly image: Uint8Array | undefined
}

export interface ImageSize {
  readonly width: number
  readonly height: number
  readonly frames: number
}
