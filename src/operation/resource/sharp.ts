import { createRequire } from 'node:module'
import {
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
  limitConcurrency,
} from '../../concurrency/limit-concurrency.ts'

/** sharp is an optional peer dependency. */
export function isSharpInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve('sharp')
    return true
  } catch {
    return false
  }
}

/**
 * For the whole process, however many routers it has: each task holds an original, and decodes up
 * to `maxPixels`.
 */
export const imageLimits: ConcurrencyLimits = Object.freeze({ maxParallel: 2, maxWaiting: 200 })

export const limitImages: ConcurrencyLimiter = limitConcurrency(imageLimits, 'images')

/** Without SVG and PDF, which sharp may support too: those are programs rather than pictures. */
export const imageMediaTypes: ReadonlySet<string> = new Set(
  ['apng', 'avif', 'gif', 'heif', 'jpeg', 'png', 'tiff', 'webp'].map(
    (subtype) => `image/${subtype}`,
  ),
)
