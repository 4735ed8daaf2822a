import { createRequire } from 'node:module'
import {
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
  limitConcurrency,
} from '../../concurrency/limit-concurrency.ts'

/** The package that reads images is to be installed beside. */
export function isSharpInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp')
    return true
  } catch {
    return false
  }
}

/**
 * Of the whole process, however many routers it has: each work holds an original, and decodes up to
 * its `maxPixels`.
 */
export const imageLimits: ConcurrencyLimits = Object.freeze({ maxParallel: 2, maxWaiting: 200 })

export const limitImages: ConcurrencyLimiter = limitConcurrency(imageLimits, 'images')

/**
 * No SVG, PDF and whatever else sharp may have been built with: those are programs rather than
 * pictures.
 */
export const imageMediaTypes: ReadonlySet<string> = new Set(
  ['apng', 'avif', 'gif', 'heif', 'jpeg', 'png', 'tiff', 'webp'].map(
    (subtype) => `image/${subtype}`,
  ),
)
