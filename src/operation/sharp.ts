import { createRequire } from 'node:module'
import { type ConcurrencyLimits, type Limited, limitConcurrency } from './limit-concurrency.ts'

/** The package that reads images is to be installed beside. */
export function isSharpThere(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp')
    return true
  } catch {
    return false
  }
}

/** Of the whole process, however many routers it has: each work holds an original, and decodes up to its `maxPixels`. */
export const imageLimits: ConcurrencyLimits = Object.freeze({ parallel: 2, waiting: 200 })

export const limitImages: Limited = limitConcurrency(imageLimits, 'images')

/** No SVG, PDF and whatever else sharp may have been built with: those are programs rather than pictures. */
export const pictureTypes: ReadonlySet<string> = new Set(
  ['apng', 'avif', 'gif', 'heif', 'jpeg', 'png', 'tiff', 'webp'].map((subtype) => `image/${subtype}`),
)
